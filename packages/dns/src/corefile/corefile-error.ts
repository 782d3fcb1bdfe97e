/** A Corefile cannot be used. The message names file and line, in the form of CoreDNS. */
export class CorefileError extends Error {
  override readonly name = 'CorefileError';
}

/** Where something stands in a Corefile. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export const errorAt = ({ file, line }: Place, problem: string): CorefileError =>
  new CorefileError(`${file}:${line} - Error during parsing: ${problem}`);

/** The error for arguments that are missing or too many. */
export const argumentError = (place: Place & { readonly name: string }): CorefileError =>
  errorAt(place, `Wrong argument count or unexpected line ending after '${place.name}'`);
