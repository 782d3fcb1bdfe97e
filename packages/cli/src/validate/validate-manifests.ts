import { Catalogue, FeatureGates, judgeCreate, newCodecFactory, newScheme, strategyFor } from '@coxswain/api';
import {
  GroupVersion,
  type KubernetesObject,
  newInvalid,
  splitYamlDocuments,
  strictDecodingMessage,
  stringifyJson,
  stringifyYaml,
} from '@coxswain/apimachinery';

export interface ManifestFile {
  readonly name: string;
  readonly text: Uint8Array;
}

interface Line {
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error';
}

export interface Verdict {
  readonly lines: readonly Line[];
  /** The accepted objects with their defaults, when a format was asked for. */
  readonly objects?: string;
}

/** Creates every object of the files as an API server would, up to the point where it would be stored. */
export function validateManifests(
  files: readonly ManifestFile[],
  namespace: string,
  output?: 'yaml' | 'json',
): Verdict {
  const create = creator(namespace);
  const lines: Line[] = [];
  const accepted: object[] = [];
  for (const { name, text } of files) {
    for (const document of splitYamlDocuments(new TextDecoder().decode(text))) {
      if (isEmpty(document)) continue;
      try {
        const { object, description, warnings } = create(new TextEncoder().encode(document));
        for (const warning of warnings) lines.push({ text: `Warning: ${warning}`, severity: 'warning' });
        if (output) accepted.push(object);
        else lines.push({ text: `${description} is valid`, severity: 'info' });
      } catch (error) {
        lines.push({ text: `${name}: ${error instanceof Error ? error.message : error}`, severity: 'error' });
      }
    }
  }
  return { lines, ...(output && { objects: print(accepted, output) }) };
}

/** Nothing but comments and blank lines. */
const isEmpty = (document: string): boolean => document.split('\n').every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));

interface Created {
  readonly object: object;
  /** `deployment.apps/web` */
  readonly description: string;
  readonly warnings: readonly string[];
}

function creator(defaultNamespace: string): (document: Uint8Array) => Created {
  const catalogue = Catalogue.builtIn();
  const codecs = newCodecFactory(catalogue);
  const scheme = newScheme();
  return (document) => {
    const { object: decoded, gvk, strictErrors } = codecs.decode(document, { strict: true });
    if (strictErrors.length > 0) throw new Error(strictDecodingMessage(strictErrors));
    const kind = catalogue.kind(gvk);
    const strategy = kind && strategyFor(kind.hub);
    if (!kind?.resource || !strategy)
      throw new Error(`no matches for kind "${gvk.kind}" in version "${gvk.apiVersion}"`);
    scheme.default(decoded);
    const hub: KubernetesObject = scheme.unsafeConvertToVersion(decoded, kind.hub.groupVersion);
    const namespace = kind.resource.namespaced ? (hub.metadata?.namespace ?? defaultNamespace) : undefined;
    if (namespace !== undefined) hub.metadata = { ...hub.metadata, namespace };
    const context = {
      features: FeatureGates.defaults,
      now: () => new Date(),
      ...(namespace !== undefined && { namespace }),
    };
    const { object, errors, warnings } = judgeCreate(strategy, hub, context);
    if (errors.length > 0) throw newInvalid(kind.hub.groupKind, object.metadata?.name ?? '', errors);
    const group = gvk.group ? `.${gvk.group}` : '';
    return {
      object: scheme.unsafeConvertToVersion(object, GroupVersion.of(gvk.group, gvk.version)),
      description: `${kind.resource.singularName}${group}/${object.metadata?.name}`,
      warnings,
    };
  };
}

/** As kubectl prints several: YAML documents, or one List in JSON. */
function print(objects: readonly object[], format: 'yaml' | 'json'): string {
  if (format === 'yaml') return objects.map((object) => stringifyYaml(object)).join('---\n');
  const value = objects.length === 1 ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects };
  return `${stringifyJson(value, { pretty: true }).trimEnd()}\n`;
}
