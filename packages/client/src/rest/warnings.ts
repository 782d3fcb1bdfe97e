import type { Logger } from '@coxswain/apimachinery/log';

/** What a server said besides its answer, such as that a version is deprecated. */
export interface Warning {
  /** 299 for those of API servers. */
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

export type WarningHandler = (warning: Warning) => void;

/** Of so many texts it is remembered that they have been said. */
const mostRemembered = 1000;

/** Hears nothing. */
export const noWarnings: WarningHandler = () => {};

/** Says every warning of an API server once. */
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
// Code, agent, text, perhaps a date; then the next or the end.
const oneWarning = new RegExp(String.raw`\s*(\d{3}) ([^\s\p{Cc}]+) ${quoted}\s*(?:"[^"]*"\s*)?(?:,|$)`, 'suy');

/** The warnings of `Warning` headers. Of a header with a malformed one, those before it. */
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
