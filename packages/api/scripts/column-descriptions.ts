import { columnFields } from './column-fields.ts';
import { columnSentences } from './column-sentences.ts';

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Returns kind → column of its Table → description, from the descriptions of types and their fields. Throws for a field
 * without description.
 */
export function columnDescriptions(descriptions: Texts): Texts {
  const ofField = (path: string): string => {
    const dot = path.lastIndexOf('.');
    const text = descriptions[path.slice(0, dot)]?.[path.slice(dot + 1)];
    if (!text) throw new Error(`no description of ${path}`);
    return text;
  };
  const kinds = [...new Set([...Object.keys(columnFields), ...Object.keys(columnSentences)])].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const fields = Object.entries(columnFields[kind] ?? {}).map(([column, path]) => [column, ofField(path)]);
      return [kind, { ...Object.fromEntries(fields), ...columnSentences[kind] }];
    }),
  );
}
