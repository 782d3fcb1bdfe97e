import { parseYaml, splitYamlDocuments, stringifyJson } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

export interface ManifestFile {
  readonly name: string;
  readonly text: Uint8Array;
}

/** One object of a file. `problem` is set when the file cannot be split into documents. */
export interface ManifestDocument {
  readonly file: string;
  readonly text: Uint8Array;
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

/** Returns the objects of the files, in order. The items of a List are separate objects. */
export const documentsOf = (files: readonly ManifestFile[]): ManifestDocument[] =>
  files.flatMap(({ name, text }) => [...documentsOfFile(name, text)]);

function* documentsOfFile(file: string, bytes: Uint8Array): Generator<ManifestDocument> {
  try {
    for (const text of splitYamlDocuments(new TextDecoder().decode(bytes)))
      if (!isEmpty(text)) yield* documentsOfText(file, text);
  } catch (error) {
    yield broken(file, error);
  }
}

function* documentsOfText(file: string, text: string): Generator<ManifestDocument> {
  let value: unknown;
  try {
    value = parseYaml(text).value;
  } catch {
    // The decoder reports the problem.
    value = undefined;
  }
  const object = isObject(value) ? value : {};
  if (isList(object)) for (const item of object.items) yield* documentsOfText(file, stringifyJson(item));
  else yield { file, text: new TextEncoder().encode(text), ...typeOf(object), value: object };
}

const broken = (file: string, error: unknown): ManifestDocument => ({
  file,
  text: new Uint8Array(),
  apiVersion: '',
  kind: '',
  value: {},
  problem: messageOf(error),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (object: Record<string, unknown>): object is { items: unknown[] } =>
  typeof object.kind === 'string' && object.kind.endsWith('List') && Array.isArray(object.items);

const typeOf = ({ apiVersion, kind }: Record<string, unknown>): { apiVersion: string; kind: string } => ({
  apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
  kind: typeof kind === 'string' ? kind : '',
});

/** Returns whether a document has only comments and blank lines. */
const isEmpty = (document: string): boolean => document.split('\n').every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));
