import { pathToFileURL } from 'node:url';
import type { Pod } from '@coxswain/api/core/v1';
import {
  cloneJson,
  defineType,
  diffJson,
  formatJsonDiff,
  GroupVersion,
  GroupVersionKind,
  isObject,
  jsonEquals,
  nestedSlice,
  nestedString,
  type RuntimeObject,
  Scheme,
  setNestedField,
} from '@coxswain/apimachinery';

const PodType = defineType<Pod>('core.v1.Pod');

const newPod = (): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'nginx', image: 'nginx:1.29' }] },
});

/** Generic code: it works for every kind. */
function describe(object: RuntimeObject): string {
  const name = nestedString(object, 'metadata', 'name');
  const containers = nestedSlice(object, 'spec', 'containers')?.length ?? 0;
  return `${GroupVersionKind.fromObject(object)}, name=${name}, containers=${containers}`;
}

/** Converts a typed object to a generic one and back. Returns the output lines. */
export function run(): string[] {
  const scheme = new Scheme('runtime-object-lab');
  scheme.addKnownTypes(GroupVersion.of('', 'v1'), PodType);
  const lines: string[] = [];

  const pod = newPod();
  lines.push(`typed: image ${pod.spec?.containers[0]?.image}`);

  const object: unknown = pod;
  if (!isObject(object)) throw new Error('a pod has apiVersion and kind');
  lines.push(`generic: ${describe(object)}`);

  if (!scheme.is(PodType, object)) throw new Error('Pod is registered in the scheme');
  lines.push(`typed again: image ${object.spec?.containers[0]?.image}`);
  lines.push(`the same object all along: ${Object.is(object, pod)}`);
  lines.push(`nothing lost: ${jsonEquals(object, newPod())}`);

  const copy = cloneJson(object);
  setNestedField(copy, 'db', 'metadata', 'labels', 'app');
  copy.spec?.containers.push({ name: 'sidecar', image: 'busybox:1.37' });
  lines.push('changes to a deep copy:');
  lines.push(...formatJsonDiff(diffJson(object, copy)).map((line) => `  ${line}`));
  lines.push(`the original is as it was: ${jsonEquals(pod, newPod())}`);
  return lines;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(run().join('\n'));
