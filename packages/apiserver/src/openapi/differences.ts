/** A difference between our OpenAPI documents and upstream's, with the reason. */
export interface OpenApiDifference {
  /**
   * Matches the location: the keys that lead there, joined by slashes. The key of a string in a list is the string itself. Slashes
   * in keys are not escaped, so `paths//apis/apps/v1/` is the item of that path.
   */
  readonly where: RegExp;
  /** True when our document only adds something: a value that upstream's lacks, or a text that begins with upstream's. */
  readonly oursAddsTo?: true;
  readonly reason: string;
}

/** All differences from the documents that upstream publishes. */
export const openApiDifferences: readonly OpenApiDifference[] = [
  {
    where: /\/application\/(?:cbor|cbor-seq|apply-patch\+cbor)$/,
    reason: 'CBOR is not supported; upstream has it behind an alpha feature gate',
  },
  {
    where: /^info\/version$/,
    reason: 'servers set their version; the published documents have none',
  },
  {
    where: /\/enum$/,
    oursAddsTo: true,
    reason: 'servers list the values of enums, as ours does; the published documents are generated without that',
  },
  {
    where: /^(?:definitions|components\/schemas)\/.*\/description$/,
    oursAddsTo: true,
    reason:
      'the description of an enum is followed by its values, with our descriptions of them; the published documents have none',
  },
  {
    where: /^paths\/\/logs\/|^parameters\/logpath-/,
    reason: 'log files of the machine are not served; upstream has that disabled by default, too',
  },
];
