import { Catalogue, FeatureGates, judgeCreate, newCodecFactory, newScheme, strategyFor } from '@coxswain/api';
import {
  GroupVersion,
  type KubernetesObject,
  newInvalid,
  strictDecodingMessage,
  stringifyJson,
  stringifyYaml,
} from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import type { CustomKinds } from './custom-kinds.ts';
import { documentsOf, type ManifestDocument, type ManifestFile } from './documents.ts';

interface Line {
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error';
}

export interface Verdict {
  readonly lines: readonly Line[];
  /** The accepted objects with their defaults, if an output format was given. */
  readonly objects?: string;
}

/**
 * Validates every object of the files like a creation by an API server, without storing it. Objects of custom kinds are validated by the
 * definitions in the same files, in any order.
 */
export async function validateManifests(
  files: readonly ManifestFile[],
  namespace: string,
  output?: 'yaml' | 'json',
): Promise<Verdict> {
  const documents = documentsOf(files);
  const definitions = documents.filter(isDefinition);
  const kinds = definitions.length > 0 ? await startCustomKinds() : undefined;
  try {
    const refused = new Map<ManifestDocument, unknown>();
    for (const each of definitions) await kinds?.define(each).catch((error: unknown) => refused.set(each, error));
    return await judge(documents, namespace, { kinds, refused, output });
  } finally {
    await kinds?.stop();
  }
}

interface Judging {
  readonly kinds: CustomKinds | undefined;
  /** The definitions that the server rejected, with the errors. */
  readonly refused: ReadonlyMap<ManifestDocument, unknown>;
  readonly output: 'yaml' | 'json' | undefined;
}

async function judge(
  documents: readonly ManifestDocument[],
  namespace: string,
  { kinds, refused, output }: Judging,
): Promise<Verdict> {
  const create = creator(namespace);
  const lines: Line[] = [];
  const accepted: object[] = [];
  for (const document of documents) {
    try {
      if (document.problem !== undefined) throw new Error(document.problem);
      if (refused.has(document)) throw refused.get(document);
      const custom = isBuiltIn(document) ? undefined : await kinds?.create(document, namespace);
      const { object, description, warnings } = custom ?? create(document.text);
      for (const warning of warnings) lines.push({ text: `Warning: ${warning}`, severity: 'warning' });
      if (output) accepted.push(object);
      else lines.push({ text: `${description} is valid`, severity: 'info' });
    } catch (error) {
      lines.push({ text: `${document.file}: ${error instanceof Error ? error.message : error}`, severity: 'error' });
    }
  }
  return { lines, ...(output && { objects: print(accepted, output) }) };
}

const isBuiltIn = ({ apiVersion, kind }: ManifestDocument): boolean =>
  Catalogue.builtIn().kind(GroupVersion.parse(apiVersion).withKind(kind)) !== undefined;

const isDefinition = ({ apiVersion, kind }: ManifestDocument): boolean =>
  apiVersion === 'apiextensions.k8s.io/v1' && kind === 'CustomResourceDefinition';

/** Imported here, so that the API server's code is only loaded for custom kinds. */
async function startCustomKinds(): Promise<CustomKinds> {
  const { CustomKinds } = await import('./custom-kinds.ts');
  return CustomKinds.start();
}

/** An accepted object. */
export interface Created {
  readonly object: object;
  /** For example `deployment.apps/web`. */
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
      signatures: nodeSignatures,
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

/** Formats several objects like kubectl: YAML documents, or one List in JSON. */
function print(objects: readonly object[], format: 'yaml' | 'json'): string {
  if (format === 'yaml') return objects.map((object) => stringifyYaml(object)).join('---\n');
  const value = objects.length === 1 ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects };
  return `${stringifyJson(value, { pretty: true }).trimEnd()}\n`;
}
