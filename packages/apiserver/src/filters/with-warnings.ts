import { quote } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';
import type { RequestState } from './request-state.ts';

/** Together they may be so long, and each so long when they are not; upstream's bounds. */
const maxTotalLength = 4 * 1024;
const maxLength = 256;

/** Adds what was warned of on the way as `Warning` headers. What has control characters has no place there. */
export const withWarnings: Filter = (next) => async (state) => warned(await next(state), state);

function warned(response: ApiResponse, { warnings }: RequestState): ApiResponse {
  if (warnings.size === 0) return response;
  const recorder = new Recorder();
  for (const warning of warnings) recorder.add(warning);
  return recorder.headers.length === 0
    ? response
    : { ...response, headers: { ...response.headers, warning: recorder.headers } };
}

/** Lengths are in characters, as upstream counts them. */
class Recorder {
  headers: string[] = [];
  readonly #texts: string[] = [];
  #total = 0;
  #truncating = false;

  add(text: string): void {
    if (this.#truncating && this.#total >= maxTotalLength) return;
    this.#texts.push(text);
    if (this.#truncating) this.#append(truncated(text));
    else if (this.#total + lengthOf(text) <= maxTotalLength || controlCharacters.test(text)) this.#append(text);
    else {
      // Begin anew, with the beginnings only.
      this.#truncating = true;
      this.#total = 0;
      this.headers = [];
      for (const earlier of this.#texts) this.#append(truncated(earlier));
    }
  }

  #append(text: string): void {
    if (controlCharacters.test(text)) return;
    this.#total += lengthOf(text);
    this.headers.push(format(text));
  }
}

const controlCharacters = /\p{Cc}/u;
const lengthOf = (text: string): number => (text.length <= maxLength ? text.length : [...text].length);
const truncated = (text: string): string => (text.length <= maxLength ? text : [...text].slice(0, maxLength).join(''));

/** What is beyond Latin-1 is sent as its UTF-8 bytes. */
const format = (warning: string): string => `299 - ${Buffer.from(quote(warning)).toString('latin1')}`;
