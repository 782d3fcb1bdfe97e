import { quote } from '@coxswain/apimachinery';
import type { ApiResponse } from '../http/handler.ts';
import type { RequestState } from './request-state.ts';

/** Together they may be so long, and each so long when they are not; upstream's bounds. */
const maxTotalLength = 4 * 1024;
const maxLength = 256;

/** The response with what was warned of on the way, as `Warning` headers. */
export function withWarnings(response: ApiResponse, { warnings }: RequestState): ApiResponse {
  if (warnings.size === 0) return response;
  const headers: string[] = [];
  let total = 0;
  for (const warning of warnings) {
    const length = Buffer.byteLength(warning);
    if (total + length > maxTotalLength) {
      // Begin anew, with the beginnings only.
      return { ...response, headers: { ...response.headers, warning: truncated(warnings) } };
    }
    total += length;
    headers.push(format(warning));
  }
  return { ...response, headers: { ...response.headers, warning: headers } };
}

function truncated(warnings: Iterable<string>): string[] {
  const headers: string[] = [];
  let total = 0;
  for (const warning of warnings) {
    const text = [...warning].slice(0, maxLength).join('');
    total += Buffer.byteLength(text);
    if (total > maxTotalLength) break;
    headers.push(format(text));
  }
  return headers;
}

/** Control characters have no place in a header; nor has anything beyond Latin-1, which is sent as its UTF-8 bytes. */
function format(warning: string): string {
  const text = Buffer.from(quote(warning.replace(/[\p{Cc}]+/gu, ' '))).toString('latin1');
  return `299 - ${text}`;
}
