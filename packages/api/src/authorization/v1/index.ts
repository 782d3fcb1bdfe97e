import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../../generated/authorization/v1.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './validation.ts';

/* Reviews are never stored: the server answers them. Their metadata is validated by the kind's own rules and has no name. */
const subjectAccessReviewStrategy: Strategy<SubjectAccessReview> = {
  validatesMetadata: true,
  validate: validateSubjectAccessReview,
};
const selfSubjectAccessReviewStrategy: Strategy<SelfSubjectAccessReview> = {
  validatesMetadata: true,
  validate: validateSelfSubjectAccessReview,
};
const localSubjectAccessReviewStrategy: Strategy<LocalSubjectAccessReview> = {
  validatesMetadata: true,
  validate: validateLocalSubjectAccessReview,
};
const selfSubjectRulesReviewStrategy: Strategy<SelfSubjectRulesReview> = {};

export const behaviour: GroupVersionBehaviour = {
  group: 'authorization.k8s.io',
  version: 'v1',
  strategies: {
    LocalSubjectAccessReview: localSubjectAccessReviewStrategy,
    SelfSubjectAccessReview: selfSubjectAccessReviewStrategy,
    SelfSubjectRulesReview: selfSubjectRulesReviewStrategy,
    SubjectAccessReview: subjectAccessReviewStrategy,
  },
};
