export const failurePolicies: readonly string[] = ['Fail', 'Ignore'];
export const matchPolicies: readonly string[] = ['Equivalent', 'Exact'];
export const reinvocationPolicies: readonly string[] = ['IfNeeded', 'Never'];
