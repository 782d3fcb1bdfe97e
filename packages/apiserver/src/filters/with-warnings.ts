import { quote } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';
import type { RequestState } from './request-state.ts';

/** Upstream's limits: the total length of all warnings, and the length of each one when that is exceeded. */
const maxTotalLength = 4 * 1024;
const maxLength = 256;

/** Adds the warnings of the request as `Warning` headers. Texts with control characters are omitted. */
export const withWarnings: Filter = (next) => async (state) => warned(await next(state), state);

function warned(response: ApiResponse, { warnings }: RequestState): ApiResponse {
  if (warnings.size === 0) return response;
  const recorder = new Recorder();
  for (const warning of warnings) recorder.add(warning);
  return recorder.headers.length === 0
    ? response
    : { ...response, headers: { ...response.headers, warning: recorder.headers } };
}

/** Makes `Warning` headers within the limits. Lengths are in characters, as in upstream. */
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
      // Start over with every warning truncated.
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

/** Characters beyond Latin-1 are sent as UTF-8 bytes. */
const format = (warning: string): string => `299 - ${Buffer.from(quote(warning)).toString('latin1')}`;
