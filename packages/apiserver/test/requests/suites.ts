import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Answer, Suite } from './scenario.ts';

const suffix = '.cases.ts';
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const suiteNames = (): string[] =>
  readdirSync(at('cases'))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length));

export async function loadSuite(name: string): Promise<Suite> {
  const { suite } = (await import(`./cases/${name}.cases.ts`)) as { suite: Suite };
  return suite;
}

export const recordingFile = (name: string): string => at(`../recorded/requests-${name}.json`);

export type Recorded = Readonly<Record<string, readonly Answer[]>>;

/** Returns the recorded responses of a suite. Empty when they were not recorded yet. */
export function loadRecording(name: string): Recorded {
  const file = recordingFile(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : {};
}
