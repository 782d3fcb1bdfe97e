import { trim } from '../validation/trim.ts';

/** One media type that a client accepts, with its parameters. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  /** Between 0 and 1; how much the client wants it. */
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads an Accept header: what the client wants most comes first. Clauses that cannot be read are left out. */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = trim(part).split(';');
    const names = range.split('/').map((name) => trim(name));
    if (names.length === 1 && names[0] === '*') names.push('*');
    const [type, subtype] = names;
    if (names.length !== 2 || type === undefined || !subtype) continue;
    insertByPreference(clauses, { type, subtype, ...readParameters(parameters) });
  }
  return clauses;
}

function readParameters(parameters: readonly string[]): Pick<AcceptClause, 'quality' | 'parameters'> {
  let quality = 1;
  const read = new Map<string, string>();
  for (const parameter of parameters) {
    const [name = '', value = '', ...rest] = parameter.split('=');
    if (value === '' || rest.length > 0) continue;
    if (trim(name) === 'q') quality = Number.parseFloat(value) || 0;
    else read.set(trim(name), trim(value));
  }
  return { quality, parameters: read };
}

/** Upstream's order is none in the strict sense, so the way of sorting counts: each clause moves up past lesser ones. */
function insertByPreference(clauses: AcceptClause[], clause: AcceptClause): void {
  let index = clauses.length;
  while (index > 0 && isPreferred(clause, clauses[index - 1]!)) index--;
  clauses.splice(index, 0, clause);
}

const isPreferred = (a: AcceptClause, b: AcceptClause): boolean =>
  a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})[ \t]*(;.*)?$`, 's');
const parameter = new RegExp(`^;[ \t]*(?:(${token})[ \t]*=[ \t]*(${token}|"(?:[^"\\\\]|\\\\.)*")[ \t]*)?`, 's');

/** The type in a Content-Type header, in small letters and without parameters; undefined when the header is malformed. */
export function parseContentType(header: string): string | undefined {
  const match = mediaType.exec(header.trim());
  if (!match) return undefined;
  const parameters = new Map<string, string>();
  for (let rest = match[2] ?? ''; rest !== ''; ) {
    const found = parameter.exec(rest);
    if (!found) return undefined;
    const [all, name, value = ''] = found;
    rest = rest.slice(all.length);
    // A semicolon may stand at the end, and only there, without a parameter.
    if (name === undefined) return rest === '' ? match[1]!.toLowerCase() : undefined;
    if ((parameters.get(name.toLowerCase()) ?? value) !== value) return undefined;
    parameters.set(name.toLowerCase(), value);
  }
  return match[1]!.toLowerCase();
}
