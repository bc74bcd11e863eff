// Numbers, durations and times as people read them.

/** "0.4123", "1.2e-7", "12,345", "NaN". @param digits significant digits */
export function number_text(value, digits = 4) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(String(value));
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e").replace(/\.?0+e/, "e");
  const text = value.toPrecision(digits);
  return size >= 1000 ? grouped(String(Number(text))) : String(Number(text));
}

function grouped(digits) {
  const [whole, fraction] = digits.split(".");
  const marked = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? marked : marked + "." + fraction;
}

/** "0.41 s", "12 s", "3 min 04 s", "2 h 05 min", "3 d 04 h". */
export function duration_text(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  if (seconds < 0) return "-" + duration_text(-seconds);
  if (seconds < 1e-3) return number_text(seconds * 1e6, 3) + " µs";
  if (seconds < 1) return number_text(seconds * 1e3, 3) + " ms";
  if (seconds < 10) return number_text(seconds, 3) + " s";
  const whole = Math.round(seconds);
  if (whole < 60) return whole + " s";
  if (whole < 3600) return two_units(whole, 60, "min", 1, "s");
  if (whole < 86400) return two_units(whole, 3600, "h", 60, "min");
  return two_units(whole, 86400, "d", 3600, "h");
}

function two_units(seconds, large, large_name, small, small_name) {
  const rest = String(Math.floor((seconds % large) / small)).padStart(2, "0");
  return `${Math.floor(seconds / large)} ${large_name} ${rest} ${small_name}`;
}

/** "512 B", "1.5 KiB", "3.2 GiB". */
export function bytes_text(bytes) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return "";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(bytes) >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return number_text(unit === 0 ? Math.round(bytes) : bytes, 3) + " " + units[unit];
}

/** A share as "12 %", "0.4 %". */
export function share_text(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return "";
  return number_text(share * 100, share < 0.1 ? 2 : 3) + " %";
}

/** "12 s ago" for a time in milliseconds since 1970; a date for more than a day. */
export function age_text(time, now) {
  if (!Number.isFinite(time)) return "";
  const seconds = (now - time) / 1000;
  if (seconds < 2) return "now";
  if (seconds < 86400) return (seconds < 60 ? Math.floor(seconds) + " s" : duration_text(seconds).replace(/ \d\d (s|min)$/, "")) + " ago";
  return date_text(time);
}

/** "2026-11-27 02:03:04" in the reader's time zone. */
export function date_text(time) {
  if (!Number.isFinite(time)) return "";
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
    + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** "02:03:04.123" in the reader's time zone. */
export function clock_text(time) {
  return Number.isFinite(time) ? date_text(time).slice(11) + "." + String(new Date(time).getMilliseconds()).padStart(3, "0") : "";
}

/** The value of a setting: as in YAML's flow style, on one line. */
export function setting_text(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return "[" + value.map(setting_text).join(", ") + "]";
  if (typeof value === "object") return "{" + Object.entries(value).map(([key, inner]) => key + ": " + setting_text(inner)).join(", ") + "}";
  return String(value);
}
