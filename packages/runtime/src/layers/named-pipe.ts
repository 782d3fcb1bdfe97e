import { close, constants, open } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { Commands } from '@coxswain/linux';

// Not FileHandles, which would close the descriptors that the sockets own.
const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

/** Makes named pipes that only this user can open. */
export async function makePipes(commands: Commands, paths: readonly string[], signal?: AbortSignal): Promise<void> {
  const { status, output } = await commands.run(['mkfifo', '-m', '600', '--', ...paths], { signal });
  if (status !== 0) throw new Error(output.trim());
}

/** Waits until a program reads from a pipe, and returns the other end. If the program has ended without opening it, writes fail. */
export async function pipeToProgram(path: string, ended: Promise<unknown>): Promise<Socket> {
  releaseWhen(ended, path, constants.O_RDONLY);
  return new Socket({ fd: await openDescriptor(path, constants.O_WRONLY), readable: false, writable: true });
}

/** Waits until a program writes into a pipe, and returns the other end. If the program has ended without opening it, nothing is read. */
export async function pipeFromProgram(path: string, ended: Promise<unknown>): Promise<Socket> {
  releaseWhen(ended, path, constants.O_WRONLY);
  return new Socket({ fd: await openDescriptor(path, constants.O_RDONLY), readable: true, writable: false });
}

/** A pipe is open when both sides are. If the program's side never comes, this opens it, so that no thread waits for it for ever. */
function releaseWhen(ended: Promise<unknown>, path: string, flags: number): void {
  ended
    .then(() => openDescriptor(path, flags | constants.O_NONBLOCK))
    .then(closeDescriptor)
    // Mostly it was open before, and is gone now.
    .catch(() => {});
}

/** Writes, and waits until there is room for more or the pipe is closed. */
export async function writeToPipe(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
