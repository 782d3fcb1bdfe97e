import type { IncomingMessage } from 'node:http';
import { RegistryError } from './registry-error.ts';

/** Reads a response of a bounded size. */
export async function readBody(body: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of body) {
      length += part.length;
      if (length > maxBytes) throw new RegistryError('invalid', `${what} is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('unavailable', `${what}: ${(error as Error).message}`, { cause: error });
  }
  return Buffer.concat(parts);
}

/** The errors of a registry's answer, as `denied: requested access to the resource is denied`; empty if it has none. */
export async function registryMessage(body: IncomingMessage): Promise<string> {
  try {
    const answer: unknown = JSON.parse((await readBody(body, 64 * 1024, 'the answer')).toString('utf8'));
    if (typeof answer !== 'object' || answer === null || !('errors' in answer) || !Array.isArray(answer.errors))
      return '';
    return answer.errors
      .slice(0, 5)
      .map(({ code, message }) => `${String(code).toLowerCase()}: ${String(message).slice(0, 500)}`)
      .join(', ');
  } catch {
    return '';
  }
}
