/** The kind of the regarded object in events about pods. */
export const podKind = { group: '', version: 'v1', kind: 'Pod' };
