import type { Logger } from '@coxswain/apimachinery/log';

/** A `Warning` header of a response, for example about a deprecated version. */
export interface Warning {
  /** 299 for warnings of API servers. */
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

export type WarningHandler = (warning: Warning) => void;

/** Maximum number of remembered texts. */
const mostRemembered = 1000;

/** Ignores all warnings. */
export const noWarnings: WarningHandler = () => {};

/** Returns a handler that logs every warning of API servers (299) once. */
export function logWarnings(logger: Logger): WarningHandler {
  const said = new Set<string>();
  return ({ code, text }) => {
    if (code !== 299 || text === '' || said.has(text)) return;
    if (said.size >= mostRemembered) said.clear();
    said.add(text);
    logger.warn(`Warning: ${text}`);
  };
}

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
// Code, agent, text, optional date; then a comma or the end.
const oneWarning = new RegExp(String.raw`\s*(\d{3}) ([^\s\p{Cc}]+) ${quoted}\s*(?:"[^"]*"\s*)?(?:,|$)`, 'suy');

/** Parses `Warning` headers. In a header with a malformed warning, only those before it are returned. */
export function parseWarnings(headers: string | readonly string[] | undefined): Warning[] {
  const warnings: Warning[] = [];
  for (const header of typeof headers === 'string' ? [headers] : (headers ?? [])) {
    oneWarning.lastIndex = 0;
    while (oneWarning.lastIndex < header.length) {
      const match = oneWarning.exec(header);
      if (!match) break;
      const text = match[3]!.replace(/\\(.)/gsu, '$1');
      if (/\p{Cc}/u.test(text)) break;
      warnings.push({ code: Number(match[1]), agent: match[2]!, text });
    }
  }
  return warnings;
}
