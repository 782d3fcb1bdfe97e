import { quote } from '@coxswain/apimachinery';

/** The streams of a command that a client wants. */
export interface StreamOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Reads the streams of exec and attach from the query. Throws an Error with upstream's message if there are none. */
export function readStreamOptions(query: URLSearchParams): StreamOptions {
  const isOn = (name: string): boolean => query.get(name) === '1';
  const tty = isOn('tty');
  // A terminal has one output.
  const options = { tty, stdin: isOn('input'), stdout: isOn('output'), stderr: isOn('error') && !tty };
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw new Error('you must specify at least 1 of stdin, stdout, stderr');
  }
  return options;
}

/** Reads the ports of a port-forward over WebSocket channels. Throws an Error with upstream's message. */
export function readPorts(query: URLSearchParams): number[] {
  const values = query.getAll('port');
  if (values.length === 0) throw new Error('query parameter "port" is required');
  return values.flatMap((value) => {
    if (value === '') throw new Error('query parameter "port" cannot be empty');
    return value.split(',').map((text) => readPort(text, value));
  });
}

function readPort(text: string, value: string): number {
  const port = Number(text);
  const problem = !/^\d+$/.test(text) ? 'invalid syntax' : port > 0xffff ? 'value out of range' : undefined;
  if (problem) {
    throw new Error(`unable to parse ${quote(value)} as a port: strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
  }
  if (port < 1) throw new Error(`port ${quote(value)} must be > 0`);
  return port;
}
