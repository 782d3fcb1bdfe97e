import { YamlError } from './yaml-error.ts';

/**
 * Splits a YAML stream into the texts of its documents, as kubectl does: at every line that begins with `---`, even inside a scalar.
 * Empty documents are left out. Throws YamlError when something other than a comment follows a separator.
 */
export function* splitYamlDocuments(stream: string): Generator<string, void> {
  let document = '';
  for (const line of stream.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (!line.startsWith('---')) {
      document += line;
      continue;
    }
    const rest = line.slice(3).trim();
    if (rest !== '' && !rest.startsWith('#')) throw new YamlError(`invalid Yaml document separator: ${rest}`);
    if (document !== '') yield document;
    document = line;
  }
  if (document !== '') yield document;
}
