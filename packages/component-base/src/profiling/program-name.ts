import { basename } from 'node:path';

/** The name of the script that Node runs. `go tool pprof` shows it as the name of the program. */
export const programName = (): string => basename(process.argv[1] ?? process.execPath);
