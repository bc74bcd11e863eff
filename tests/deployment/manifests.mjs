// Kubernetes manifests against the schemas of Kubernetes' own API, as kubeconform -strict does: types, required fields, values
// of enumerations, and fields that no schema has. Without kubernetes-models it is skipped with a line (exit code 77).
//   node tests/deployment/manifests.mjs BUILD <manifests.json

import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {resolve} from "node:path";

const from_package = createRequire(resolve(process.argv[2], "npm/package.json"));
try {
  from_package.resolve("kubernetes-models");
} catch {
  console.log(`the manifests' schemas are not checked: npm install --prefix ${process.argv[2]}/npm kubernetes-models`);
  process.exit(77);
}

// A schema's code reads each field that it has, so fields that it did not read are none of its.
const unread = [];
const watched = (value, path) => {
  if (typeof value !== "object" || value === null)
    return value;
  const fields = new Map(Object.entries(value).map(([name, field]) => [name, watched(field, `${path}/${name}`)]));
  fields.forEach((_, name) => Array.isArray(value) || unread.push(`${path}/${name}`));
  return new Proxy(value, {
    get: (target, name) => {
      const at = unread.indexOf(`${path}/${String(name)}`);
      if (at >= 0)
        unread.splice(at, 1);
      return fields.has(name) ? fields.get(name) : target[name];
    },
  });
};

const failures = [];
for (const manifest of JSON.parse(readFileSync(0, "utf8"))) {
  const {[manifest.kind]: kind} = from_package(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
  unread.length = 0;
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  try {
    kind.prototype.validate.call(watched(manifest, ""));
    failures.push(...unread.map((field) => `${name}: ${field} is no field of Kubernetes`));
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
  }
}
console.log(failures.join("\n") || "the manifests have the schemas of Kubernetes");
process.exit(failures.length > 0 ? 1 : 0);
