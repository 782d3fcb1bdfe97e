/** Something in which our OpenAPI documents are not as upstream's, and why that is so. */
export interface OpenApiDifference {
  /**
   * Matches where it is: the keys that lead there, with a slash between them. An item of a list of texts has itself as its
   * key. Slashes within a key are written as they are, so that `paths//apis/apps/v1/` is the item of that path.
   */
  readonly where: RegExp;
  /** Whether we have more than upstream's document: something that it lacks, or a text that begins with its own. */
  readonly oursAddsTo?: true;
  readonly reason: string;
}

/** All that is different from the documents that upstream publishes. */
export const openApiDifferences: readonly OpenApiDifference[] = [
  {
    where: /\/application\/(?:cbor|cbor-seq|apply-patch\+cbor)$/,
    reason: 'CBOR is not served; upstream has it behind an alpha feature',
  },
  {
    where: /^info\/version$/,
    reason: 'a server says its version, a published document that it has none',
  },
  {
    where: /\/enum$/,
    oursAddsTo: true,
    reason: 'a server lists the values of enums, as ours does; published documents are made with that turned off',
  },
  {
    where: /^(?:definitions|components\/schemas)\/.*\/description$/,
    oursAddsTo: true,
    reason:
      'the same of their texts: after the description of an enum come its values, and what they mean in our words',
  },
  {
    where: /^paths\/\/logs\/|^parameters\/logpath-/,
    reason: 'files of the machine are not served; upstream has turned that off by default, too',
  },
];
