import { join } from 'node:path';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Commands } from '@coxswain/linux';
import { ArchiveError } from '../tar/index.ts';
import { makePipes, pipeFromProgram, pipeToProgram, writeToPipe } from './named-pipe.ts';

/** Node's own decoder, which it has from 22.15 and 23.8 on. */
export function nodeZstdDecoder(chunkSize: number): Transform | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  return typeof create === 'function' ? create({ chunkSize }) : undefined;
}

/** A layer may be large and the disk slow. */
const timeoutMs = 6 * 3_600_000;

/**
 * Decompresses with the program `zstd`. It bounds its memory itself: 128 MiB. The directory `scratch` is for the pipes, and nobody else can
 * write it.
 */
export async function* zstdProgram(
  source: AsyncIterable<Buffer>,
  { commands, scratch }: { readonly commands: Commands; readonly scratch: string },
): AsyncGenerator<Buffer, void, undefined> {
  const from = join(scratch, 'compressed');
  const to = join(scratch, 'uncompressed');
  await makePipes(commands, [from, to]);
  const stop = new AbortController();
  const script = 'exec zstd --decompress --stdout --quiet <"$1" >"$2"';
  const ended = commands.run(['sh', '-c', script, 'sh', from, to], { signal: stop.signal, timeoutMs }).then(
    ({ status, output }) => (status === 0 ? undefined : failureOf(status, output)),
    (error: Error) => error,
  );
  const input = await pipeToProgram(from, ended);
  const output = await pipeFromProgram(to, ended);
  // The program's own words say more.
  for (const socket of [input, output]) socket.on('error', () => {});
  let sourceFailure: unknown;
  const feeding = feed().catch((error) => {
    sourceFailure = error;
    input.destroy();
  });
  async function feed(): Promise<void> {
    for await (const chunk of source) {
      if (input.destroyed) return;
      await writeToPipe(input, chunk);
    }
    input.end();
  }
  try {
    for await (const chunk of output) yield chunk as Buffer;
    await feeding;
    if (sourceFailure) throw sourceFailure;
    const failure = await ended;
    if (failure) throw failure;
  } finally {
    stop.abort(new Error('decompressing was cancelled'));
    input.destroy();
    output.destroy();
    await ended;
  }
}

function failureOf(status: number, output: string): Error {
  const words = output.trim().slice(0, 1000);
  if (status === 127) return new Error(`layers compressed with zstd need the program zstd: ${words}`);
  return new ArchiveError(`the zstd data is damaged: ${words}`);
}
