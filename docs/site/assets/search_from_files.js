// Search where the pages are opened as files: a browser then neither fetches the index nor starts a worker. So the index is a
// script, and the worker's code runs in a frame of the page.
var __search
if (location.protocol === "file:") {
  __search = {
    index: new Promise((resolve) => {
      window.troupe_take_index = resolve
      const script = document.createElement("script")
      script.src = troupe_search_index
      document.head.append(script)
    }),
  }

  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      const start = () => {
        document.body.append(this.frame)
        const inside = this.frame.contentWindow
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
        const script = inside.document.createElement("script")
        script.src = url
        script.onload = () => {
          this.inside = inside
          this.waiting.forEach((data) => this.postMessage(data))
        }
        inside.document.body.append(script)
      }
      document.body ? start() : addEventListener("DOMContentLoaded", start)
    }
    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
      else this.waiting.push(data)
    }
    terminate() {
      this.frame.remove()
    }
  }
}
