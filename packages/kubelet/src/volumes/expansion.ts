import type { EnvVar } from '@coxswain/api/core/v1';

/** Puts values in the place of `$(NAME)`. What has no value is left as it is; `$$` is a plain `$`. */
export const expand = (text: string, lookUp: (name: string) => string | undefined): string =>
  text.replace(/\$(?:\$|\(([^)]*)\))/g, (whole, name?: string) => (name === undefined ? '$' : (lookUp(name) ?? whole)));

/** The commands of probes know only the variables that are written in the container itself, as they are written. */
export function expandWithStatic(words: readonly string[], env: readonly EnvVar[] | null | undefined): string[] {
  const values = new Map(env?.map(({ name, value = '' }) => [name, value]));
  return words.map((word) => expand(word, (name) => values.get(name)));
}
