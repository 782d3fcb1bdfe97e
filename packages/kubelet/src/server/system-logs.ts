import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { type ApiRequest, type ApiResponse, notFoundResponse, type ResponseSink } from '@coxswain/component-base/http';

const chunkBytes = 64 * 1024;

/**
 * Serves the files below a directory, and listings of its directories.
 *
 * Differs from upstream: links to files elsewhere are not followed, because a container that may write logs of the node could read every file
 * of the node by them. Parts of files cannot be requested.
 */
export async function systemLogs(directory: string, path: string, request: ApiRequest): Promise<ApiResponse> {
  if (path.split('/').includes('..') || path.includes('\0')) return plain(400, 'invalid URL path');
  let file: FileHandle;
  try {
    // Not blocked by a named pipe.
    file = await open(`${directory}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return unreadable(error);
  }
  try {
    const root = await realpath(directory);
    const real = await readlink(`/proc/self/fd/${file.fd}`);
    const stats = await file.stat();
    const isBelow = real === root || real.startsWith(`${root}/`);
    if (!isBelow || !(stats.isFile() || stats.isDirectory())) return await closing(file, notFoundResponse());
    if (stats.isDirectory()) return await closing(file, await listing(real, request));
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'last-modified': stats.mtime.toUTCString() },
      body: { stream: (sink) => void send(file, sink) },
    };
  } catch (error) {
    return await closing(file, unreadable(error));
  }
}

async function closing(file: FileHandle, response: ApiResponse): Promise<ApiResponse> {
  await file.close();
  return response;
}

async function send(file: FileHandle, sink: ResponseSink): Promise<void> {
  let isGone = false;
  let wake = (): void => {};
  sink.onDrain(() => wake());
  sink.onClose(() => {
    isGone = true;
    wake();
  });
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0 || isGone) break;
      const waiting = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!sink.write(buffer.subarray(0, bytesRead)) && !isGone) await waiting;
    }
    sink.end();
  } catch {
    sink.destroy();
  } finally {
    await file.close().catch(() => {});
  }
}

async function listing(directory: string, { path }: ApiRequest): Promise<ApiResponse> {
  if (!path.endsWith('/')) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { status: 301, headers: { location: `${name}/` } };
  }
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const links = names.map((name) => `<a href="${encodeURI(`./${name}`).slice(2)}">${escaped(name)}</a>\n`);
  const text = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join('')}</pre>\n`;
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(text) };
}

function unreadable(error: unknown): ApiResponse {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return notFoundResponse();
  return code === 'EACCES' || code === 'EPERM'
    ? plain(403, '403 Forbidden\n')
    : plain(500, '500 Internal Server Error\n');
}

const plain = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: Buffer.from(text),
});

const html: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => html[character] ?? character);
