import { basename } from 'node:path';

/** The script that Node runs, as `go tool pprof` shall name the program. */
export const programName = (): string => basename(process.argv[1] ?? process.execPath);
