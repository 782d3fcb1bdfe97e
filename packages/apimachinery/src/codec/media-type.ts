import { trim } from '../validation/trim.ts';

/** One media type that a client accepts, with its parameters. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  /** The client's preference, the parameter `q`. */
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses an Accept header into clauses, the most preferred first. Malformed clauses are left out. */
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

/**
 * Moves the clause up past less preferred ones. Upstream's comparison is not a strict order, so the result depends on this way of
 * sorting.
 */
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

/** Returns the media type of a Content-Type header in lower case, without parameters; undefined when the header is malformed. */
export function parseContentType(header: string): string | undefined {
  const match = mediaType.exec(header.trim());
  if (!match) return undefined;
  const parameters = new Map<string, string>();
  for (let rest = match[2] ?? ''; rest !== ''; ) {
    const found = parameter.exec(rest);
    if (!found) return undefined;
    const [all, name, value = ''] = found;
    rest = rest.slice(all.length);
    // A semicolon without a parameter is allowed at the end only.
    if (name === undefined) return rest === '' ? match[1]!.toLowerCase() : undefined;
    if ((parameters.get(name.toLowerCase()) ?? value) !== value) return undefined;
    parameters.set(name.toLowerCase(), value);
  }
  return match[1]!.toLowerCase();
}
