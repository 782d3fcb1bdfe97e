/** The kind of what events about pods regard. */
export const podKind = { group: '', version: 'v1', kind: 'Pod' };
