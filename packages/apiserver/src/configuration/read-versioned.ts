import { type ObjectReader, readConfiguration } from './object-reader.ts';

/** Parses an object of the kind. Throws an Error for other kinds and versions, and for fields that `read` ignores. */
export function readVersioned<T>(
  text: string,
  wanted: string,
  known: ReadonlySet<unknown>,
  read: (document: ObjectReader) => T,
): T {
  const document = readConfiguration(text);
  const { apiVersion, kind } = document.raw;
  for (const [field, name] of Object.entries({ kind: 'Kind', apiVersion: 'apiVersion' }))
    if (!document.raw[field]) throw new Error(`Object '${name}' is missing in '${JSON.stringify(document.raw)}'`);
  if (kind !== wanted || !known.has(apiVersion))
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme`,
    );
  const result = read(document);
  document.ignore('apiVersion', 'kind');
  const { unknown } = document;
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
  return result;
}
