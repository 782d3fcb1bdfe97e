/** A body that takes long to parse or to validate, for its length. */
export interface StallingBody {
  readonly what: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const megabyte = 1024 * 1024;
const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';

const many = (count: number, item: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(between);

/** A request that every user may send. */
const review = {
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  json: (rest: string): string =>
    `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",` +
    `"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}},${rest}}`,
  yaml: (rest: string): string => `apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\n${rest}\n`,
};

/** Returns YAML in which each mapping merges all entries of the one before. */
function mergeChain(): string {
  const lines = ['a0: &a0 {k0: v}'];
  for (let i = 1, length = 0; length < 104_000; i++)
    length += lines.push(`a${i}: &a${i} {<<: *a${i - 1}, k${i}: v}`) && lines.at(-1)!.length + 1;
  return lines.join('\n');
}

/** Returns YAML in which each list contains the list before ten times. */
const aliasBomb = (): string =>
  many(9, (i) => `a${i}: &a${i} [${many(10, () => (i === 0 ? 'x' : `*a${i - 1}`))}]`, '\n');

/** Returns a protobuf message of the kind in which `field` is repeated. */
function repeated(apiVersion: string, kind: string, field: readonly number[], length: number): Buffer {
  const delimited = (tag: number, bytes: Uint8Array): Buffer => {
    const head = [tag];
    let left = bytes.length;
    for (; left > 127; left >>>= 7) head.push((left & 127) | 128);
    return Buffer.concat([Buffer.from([...head, left]), bytes]);
  };
  const type = Buffer.concat([delimited(0x0a, Buffer.from(apiVersion)), delimited(0x12, Buffer.from(kind))]);
  const raw = Buffer.alloc(length - (length % field.length), Buffer.from(field));
  return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), delimited(0x0a, type), delimited(0x12, raw)]);
}

/** Returns the bodies, for a user who may create self reviews and edit a namespace with a ConfigMap `there`. */
export function stallingBodies(namespace: string): readonly StallingBody[] {
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const asked = (what: string, contentType: string, text: string | Uint8Array): StallingBody => ({
    what,
    method: 'POST',
    path: review.path,
    contentType,
    bytes: typeof text === 'string' ? Buffer.from(text) : text,
  });
  const made = (what: string, path: string, text: string, contentType = json): StallingBody => ({
    what,
    method: 'POST',
    // A dry run, so that it can be sent again.
    path: `${path}?dryRun=All`,
    contentType,
    bytes: Buffer.from(text),
  });
  const patched = (what: string, contentType: string, text: string, name = 'there'): StallingBody => ({
    what,
    method: 'PATCH',
    path: `${configMaps}/${name}?dryRun=All&fieldManager=x`,
    contentType: `application/${contentType}`,
    bytes: Buffer.from(text),
  });
  const configMap = (rest: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"made"},${rest}}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  return [
    asked('YAML: merge keys in a chain', yaml, review.yaml(mergeChain())),
    asked('YAML: aliases of aliases', yaml, review.yaml(aliasBomb())),
    asked('YAML: flow list, 2 MB', yaml, review.yaml(`a: [${many(megabyte, () => '1')}]`)),
    asked('YAML: flow list, 200 kB', yaml, review.yaml(`a: [${many(100_000, () => '1')}]`)),
    asked('YAML: a repeated key', yaml, review.yaml(many(30_000, () => 'a: 1', '\n'))),
    asked('YAML: commas', yaml, review.yaml(`a: [${','.repeat(240_000)}]`)),
    asked('YAML: nesting', yaml, review.yaml(`a: [${many(100, () => '['.repeat(900) + ']'.repeat(900))}]`)),
    asked('JSON: list, 2.7 MB', json, review.json(`"a":[${many(1.35 * megabyte, () => '1')}]`)),
    asked('JSON: fractions, 2.7 MB', json, review.json(`"a":[${many(0.68 * megabyte, () => '1.5')}]`)),
    asked('JSON: a repeated key', json, review.json(many(0.45 * megabyte, () => '"a":1'))),
    asked('JSON: many keys', json, review.json(`"a":{${many(200_000, (i) => `"k${i}":1`)}}`)),
    asked('JSON: a number of 2.7 MB', json, review.json(`"a":${'9'.repeat(2.7 * megabyte)}`)),
    asked('JSON: escapes, 2.7 MB', json, review.json(`"a":"${'\\u00e9'.repeat(0.45 * megabyte)}"`)),
    asked('JSON: nesting', json, review.json(`"a":[${many(1_000, () => '['.repeat(900) + ']'.repeat(900))}]`)),
    asked('JSON: invalid UTF-8', json, Buffer.from(review.json(`"a":"${'a\xff'.repeat(1.3 * megabyte)}"`), 'latin1')),
    asked(
      'protobuf: many fields',
      protobuf,
      repeated('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [0x12, 0], 2.7 * megabyte),
    ),
    {
      what: 'options of a deletion: a list of 2.7 MB',
      method: 'DELETE',
      path: `${configMaps}/absent`,
      contentType: json,
      bytes: Buffer.from(`{"apiVersion":"v1","kind":"DeleteOptions","dryRun":[${many(0.9 * megabyte, () => '""')}]}`),
    },
    made('ConfigMap: 190,000 invalid keys', configMaps, configMap(`"data":{${many(190_000, (i) => `"/${i}":""`)}}`)),
    made('ConfigMap: 60,000 keys', configMaps, configMap(`"data":{${many(60_000, (i) => `"k${i}":""`)}}`)),
    made(
      'ConfigMap: YAML, 30,000 lines',
      configMaps,
      `${yamlConfigMap}${many(30_000, (i) => `  k${i}: ""`, '\n')}\n`,
      yaml,
    ),
    made(
      'ConfigMap: YAML, a text of 99,000 lines',
      configMaps,
      `${yamlConfigMap}  a: >\n${many(99_000, () => '    x y', '\n')}\n`,
      yaml,
    ),
    made(
      'Pod: 900,000 empty containers',
      pods,
      `{"kind":"Pod","spec":{"containers":[${many(0.9 * megabyte, () => '{}')}]}}`,
    ),
    {
      ...made('Pod: the same in protobuf', pods, '', protobuf),
      bytes: Buffer.from(repeated('v1', 'Pod', [0x12, 2, 0x12, 0], 2.7 * megabyte)),
    },
    patched('merge patch: 200,000 keys', 'merge-patch+json', `{"data":{${many(200_000, (i) => `"k${i}":""`)}}}`),
    patched('merge patch: 60,000 keys', 'merge-patch+json', `{"data":{${many(60_000, (i) => `"k${i}":""`)}}}`),
    patched(
      'strategic merge patch: 60,000 keys',
      'strategic-merge-patch+json',
      `{"data":{${many(60_000, (i) => `"k${i}":""`)}}}`,
    ),
    patched(
      'JSON patch: 9,999 copies',
      'json-patch+json',
      `[${many(9_999, () => '{"op":"copy","from":"/data","path":"/x"}')}]`,
    ),
    patched(
      'JSON patch: a list of 2.7 MB',
      'json-patch+json',
      `[{"op":"add","path":"/x","value":[${many(1.3 * megabyte, () => '1')}]}]`,
    ),
    patched(
      'strategic merge patch: two lists of 60,000',
      'strategic-merge-patch+json',
      `{"metadata":{"$setElementOrder/finalizers":[${many(60_000, (i) => `"a.b/${i}"`)}],"finalizers":[${many(60_000, (i) => `"a.b/${i}"`)}]}}`,
    ),
    patched(
      'apply: merge keys in a chain',
      'apply-patch+yaml',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n${mergeChain()}\n`,
      'made',
    ),
    patched(
      'apply: 40,000 keys',
      'apply-patch+yaml',
      configMap(`"data":{${many(40_000, (i) => `"k${i}":""`)}}`),
      'made',
    ),
    {
      ...patched(
        'apply: 30,000 keys, a third of them owned by others',
        'apply-patch+yaml',
        `{"apiVersion":"v1","kind":"ConfigMap","data":{${many(30_000, (i) => `"k${i}":""`)}}}`,
      ),
      path: `${configMaps}/there?dryRun=All&fieldManager=x&force=true`,
    },
  ];
}

const yamlConfigMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata:\n';
