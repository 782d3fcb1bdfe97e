/** Where our server means to say something else than upstream, and so kubectl does. */
interface Difference {
  readonly reason: string;
  readonly upstream: RegExp;
  readonly ours: string;
}

const differences: readonly Difference[] = [
  {
    reason: "a client's mistake is not the server's: what upstream answers with 500 and no reason is a BadRequest",
    upstream: /^Error from server: (?=failed to create typed patch object)/m,
    ours: 'Error from server (BadRequest): ',
  },
];

/** What our server makes kubectl print where upstream makes it print `output`. */
export function expectedOutput(output: string): string {
  return differences.reduce((text, { upstream, ours }) => text.replace(upstream, ours), output);
}
