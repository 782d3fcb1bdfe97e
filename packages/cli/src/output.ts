import { type Flag, flag, string } from '@coxswain/component-base';
import { UsageError } from '@coxswain/component-base/cli';

const formats = ['json', 'yaml'] as const;

export type OutputFormat = (typeof formats)[number];

export const outputFlag: Flag<string, ''> = {
  ...flag(string, "One of 'yaml' or 'json'", ''),
  byDefault: '',
  shorthand: 'o',
  values: formats,
};

/** Returns undefined for an empty format. Throws for an unknown one, as `kubectl version` does. */
export function outputFormat(text: string): OutputFormat | undefined {
  if (text === '') return undefined;
  const format = formats.find((each) => each === text);
  if (!format) throw new UsageError(`--output must be 'yaml' or 'json'`);
  return format;
}

/** Formats a value as a document. */
export async function printed(value: object, format: OutputFormat): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  const { stringifyYaml } = await import('@coxswain/apimachinery/codec/yaml');
  return stringifyYaml(value);
}
