import { RpcError } from '@coxswain/grpc';
import type { Container } from '../model/index.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { exec } from './sessions.ts';

/** Of longer output, the rest is dropped. */
const maxOutputBytes = 16 * 1024 * 1024;

export interface CommandOutput {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

/** Runs a command to its end. When the time is up or the signal is aborted, all that the command has started is killed. */
export async function execSync(
  context: RuntimeContext,
  container: Container,
  { cmd, timeoutSeconds }: { readonly cmd: readonly string[]; readonly timeoutSeconds: number },
  signal: AbortSignal,
): Promise<CommandOutput> {
  const session = await exec(context, container, { cmd, tty: false, stdin: false });
  let isLate = false;
  const kill = (): void => {
    session
      .kill()
      .catch((error: unknown) => context.logger.error('Failed to kill a command', error, { container: container.id }));
  };
  const timer =
    timeoutSeconds > 0
      ? context.clock.setTimeout(() => {
          isLate = true;
          kill();
        }, timeoutSeconds * 1000)
      : undefined;
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    const [stdout, stderr, exitCode] = await Promise.all([
      collect(session.stdout),
      collect(session.stderr),
      session.exited,
    ]);
    if (isLate) {
      const late = `failed to exec in container: timeout ${timeoutSeconds}s exceeded: context deadline exceeded`;
      throw new RpcError('DeadlineExceeded', late);
    }
    return { stdout, stderr, exitCode };
  } finally {
    timer?.cancel();
    signal.removeEventListener('abort', kill);
  }
}

async function collect(output: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of output) {
    if (length < maxOutputBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, maxOutputBytes);
}
