import { messageOf } from '@coxswain/apimachinery/errors';

/** Returns an error's message. Those of the file system are in the form that they have in Kubernetes: `mkdir /a: permission denied`. */
export function fileErrorMessage(error: unknown): string {
  const message = messageOf(error);
  const match = /^E[A-Z0-9]+: (.+?), (\w+)(?: '(.*?)')?/s.exec(message);
  if (!match) return message;
  const [, text, call, path] = match;
  return path === undefined ? `${call}: ${text}` : `${call} ${path}: ${text}`;
}
