import { isJsonObject, stringifyYaml } from '@coxswain/apimachinery';

/** Encodes an extension's value as YAML in block style, with keys in their order. gnostic's protobuf has YAML in place of JSON. */
export function toYaml(value: unknown): string {
  return `${lines(value, 0).join('\n')}\n`;
}

/** Go's YAML indents nested mappings to the next multiple of four columns, but does not indent lists. */
const nextColumn = (column: number): number => (Math.floor(column / 4) + 1) * 4;

function lines(value: unknown, column: number): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = lines(item, column + 2);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    const next = nextColumn(column);
    const indent = ' '.repeat(next - column);
    return Object.entries(value).flatMap(([key, item]) => {
      const below = lines(item, next);
      const isBlock = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
      return isBlock ? [`${scalar(key)}:`, ...below.map((line) => indent + line)] : [`${scalar(key)}: ${below[0]}`];
    });
  }
  return [scalar(value)];
}

/** Words that need no quotes in YAML. Nearly all strings match this, which avoids the slower check. */
const plainWord = /^[A-Z][a-zA-Z]{6,}$|^[a-z]{6,}$/;

const scalar = (value: unknown): string =>
  typeof value === 'string' && plainWord.test(value) ? value : stringifyYaml(value).trimEnd();
