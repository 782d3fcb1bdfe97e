import type { Shell } from '../shell.ts';

/**
 * Returns the Events of an object given as `kind/name`, oldest first, one line each, with `#####` for the random end of
 * a name.
 */
export async function events(shell: Shell, namespace: string, object: string): Promise<string[]> {
  const [kind, name] = object.split('/');
  const selector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const line = `{range .items[*]}{.type} {.reason}: {.message}{"\\n"}{end}`;
  const text = await shell.run(`kubectl -n ${namespace} get events --field-selector ${selector} -o jsonpath='${line}'`);
  return text === '' ? [] : text.replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-#####').split('\n');
}
