/** A text with `{{ … }}`, compiled. */
export type CompiledTemplate<Data> = (data: Data) => string;

/** What templates can use. */
export interface TemplateData {
  readonly Zone: string;
  readonly Name: string;
  readonly Class: string;
  readonly Type: string;
  readonly Remote: string;
  readonly Regex: string;
  readonly Match: readonly string[];
  readonly Group: Readonly<Record<string, string>>;
  readonly Question: { readonly Name: string; readonly Qtype: number; readonly Qclass: number };
  readonly Message: { readonly Id: number };
}

type Expression = (data: TemplateData) => unknown;

/**
 * Compiles the part of Go's text/template that Corefiles use: fields such as `.Name` and `.Group.name`, `index .Match 1`, `parseInt TEXT BASE BITS`, and `{{-` and
 * `-}}`, which remove the white space beside them. Throws an Error that names what is not supported.
 */
export function compileTemplate(text: string): CompiledTemplate<TemplateData> {
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (const found of text.matchAll(/(\s*)\{\{(-(?=\s))?([\s\S]*?)((?<=\s)-)?\}\}(\s*)/g)) {
    const [whole, before = '', trimsLeft, action = '', trimsRight, after = ''] = found;
    parts.push(text.slice(at, found.index), trimsLeft ? '' : before);
    parts.push(expression(action.trim()));
    if (!trimsRight) parts.push(after);
    at = found.index + whole.length;
  }
  parts.push(text.slice(at));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{')))
    throw new Error(`unclosed action in ${text}`);
  return (data) => parts.map((part) => (typeof part === 'string' ? part : String(part(data)))).join('');
}

function expression(action: string): Expression {
  const words = action.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const [first = '', ...rest] = words;
  if (first.startsWith('/*')) return () => '';
  if (rest.length === 0) return operand(first);
  const [value, ...keys] = rest.map(operand);
  if (value && first === 'index') return (data) => keys.reduce((found, key) => member(found, key(data)), value(data));
  if (value && first === 'parseInt' && keys.length === 2) {
    return (data) => Number.parseInt(String(value(data)), Number(keys[0]?.(data)));
  }
  throw new Error(`the action {{ ${action} }} is not supported`);
}

function operand(word: string): Expression {
  if (/^-?\d+$/.test(word)) return () => Number(word);
  if (/^".*"$/.test(word)) {
    const text: unknown = JSON.parse(word);
    return () => text;
  }
  if (!/^(\.[A-Za-z_]\w*)+$/.test(word)) throw new Error(`${JSON.stringify(word)} is not supported in a template`);
  const path = word.slice(1).split('.');
  return (data) => path.reduce<unknown>(member, data);
}

/** Like Go, an absent key of a map is empty; an absent field is an error. */
function member(value: unknown, key: unknown): unknown {
  if (typeof value !== 'object' || value === null) throw new Error(`can't evaluate field ${key}`);
  const found = Object.entries(value).find(([name]) => name === String(key));
  if (!found && Array.isArray(value)) throw new Error(`index out of range: ${key}`);
  return found?.[1] ?? '';
}
