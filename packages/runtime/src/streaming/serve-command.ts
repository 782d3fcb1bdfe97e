import { messageOf } from '@coxswain/apimachinery/errors';
import type { CommandClient } from './command-client.ts';
import type { StreamedSession } from './session-backend.ts';

/** Connects a client with a program until the program ends, or the client goes. All output is written before the outcome. */
export async function serveCommand(client: CommandClient, open: () => Promise<StreamedSession>): Promise<void> {
  let session: StreamedSession;
  try {
    session = await open();
  } catch (error) {
    return await client.finish({ error: messageOf(error) });
  }
  let hasEnded = false;
  void client.closed.then(async () => {
    if (!hasEnded) await session.kill().catch(() => {});
  });
  copyInput(client, session).catch(() => session.stdin?.close());
  applySizes(client, session).catch(() => {});
  const outputs = [copyOutput(client, 'stdout', session.stdout), copyOutput(client, 'stderr', session.stderr)];
  try {
    const exitCode = await session.exited;
    await Promise.all(outputs);
    await client.finish({ exitCode });
  } catch (error) {
    await Promise.allSettled(outputs);
    await client.finish({ error: messageOf(error) });
  } finally {
    hasEnded = true;
  }
}

async function copyInput({ stdin }: CommandClient, session: StreamedSession): Promise<void> {
  if (!stdin || !session.stdin) return;
  for await (const bytes of stdin) await session.stdin.write(bytes);
  session.stdin.close();
}

async function copyOutput(
  client: CommandClient,
  name: 'stdout' | 'stderr',
  output: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const bytes of output) await client.write(name, bytes);
}

const largestSize = 0xffff;

async function applySizes({ resizes }: CommandClient, session: StreamedSession): Promise<void> {
  if (!resizes) return;
  let text = '';
  for await (const bytes of resizes) {
    text += Buffer.from(bytes).toString();
    // Values without a separator between them; none has braces inside.
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = sizeOf(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size) await session.resize(size);
    }
    if (text.length > 1024) throw new Error('invalid size of a terminal');
  }
}

function sizeOf(text: string): { width: number; height: number } | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('Width' in value) || !('Height' in value)) return undefined;
  const [width, height] = [Number(value.Width), Number(value.Height)];
  const isSize = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= largestSize;
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}
