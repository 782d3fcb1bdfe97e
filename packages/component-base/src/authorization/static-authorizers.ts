import type { Authorizer, Decision, SubjectRules } from './authorizer.ts';

const nothing: SubjectRules = { resourceRules: [], nonResourceRules: [], incomplete: false };

const fixed = (decision: Decision, rules: SubjectRules): Authorizer => ({
  authorize: async () => decision,
  rulesFor: async () => rules,
});

export const alwaysAllow: Authorizer = fixed(
  { decision: 'allow', reason: '' },
  {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  },
);

export const alwaysDeny: Authorizer = fixed({ decision: 'no opinion', reason: 'Everything is forbidden.' }, nothing);

export const privilegedGroup = 'system:masters';

/** Allows everything to members of `system:masters`. Its rules are not listed by `rulesFor`. */
export const privilegedGroupAuthorizer: Authorizer = {
  authorize: async ({ user }) => ({
    decision: user.groups?.includes(privilegedGroup) ? 'allow' : 'no opinion',
    reason: '',
  }),
  rulesFor: async () => nothing,
};
