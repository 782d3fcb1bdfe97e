/** What a verbose answer has in addition: the details as JSON, by the name that runtimes use. */
export const infoOf = (isVerbose: boolean, details: object): Readonly<Record<string, string>> =>
  isVerbose ? { info: JSON.stringify(details) } : {};
