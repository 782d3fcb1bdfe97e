import { messageOf } from '@coxswain/apimachinery/errors';
import type { Verbosity } from '@coxswain/apimachinery/log';
import type { ApiRequest, ApiResponse } from '../http/index.ts';
import { level } from './logging-flags.ts';

const folder = '/debug/flags';
/** More than enough for a number. */
const maxBodyBytes = 1024;

/** Returns whether `debugFlagsPages` serves the path. */
export const isDebugFlagsPath = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The part of a request that `debugFlagsPages` uses. */
export type DebugFlagsRequest = Pick<ApiRequest, 'method' | 'path' | 'readBody'>;

/** Serves `/debug/flags/…`: PUT with a number to `/debug/flags/v` sets the verbosity of the log; other paths return the list of flags. */
export async function debugFlagsPages(request: DebugFlagsRequest, verbosity: Verbosity): Promise<ApiResponse> {
  if (request.path !== `${folder}/v`) return { status: 200, headers: typed('text/html'), body: Buffer.from(index) };
  if (request.method !== 'PUT') return text(406, 'unsupported http method');
  let value: string;
  try {
    value = Buffer.from(await request.readBody(maxBodyBytes)).toString();
  } catch (error) {
    return text(400, `error reading request body: ${messageOf(error)}`);
  }
  try {
    verbosity.set(level.read(value, undefined));
  } catch (error) {
    return text(400, messageOf(error));
  }
  return text(200, `successfully set klog.logging.verbosity to ${value}`);
}

const typed = (type: string): ApiResponse['headers'] => ({ 'content-type': type, 'x-content-type-options': 'nosniff' });

const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: typed('text/plain'),
  body: Buffer.from(`${body}\n`),
});

const index = `<html>
<head>
<title>${folder}/</title>
</head>
<body>
${folder}/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;
