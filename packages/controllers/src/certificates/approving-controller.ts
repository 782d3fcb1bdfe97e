import { parseSigningRequest } from '@coxswain/api';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { CertificateRequest } from '@coxswain/apimachinery/x509';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { kubeletClientProblem } from './kubelet-requests.ts';
import { hasCondition, requestLoop } from './request-loop.ts';

/** Approves kubelets' requests for client certificates if a SubjectAccessReview allows the requesting user to have one. */
export const csrApprovingController: ControllerDefinition = {
  name: 'certificatesigningrequest-approving-controller',
  aliases: ['csrapproving'],
  create: newController,
};

/** A kind of request. It is approved if the requesting user may `create` the subresource. */
interface Recognizer {
  readonly subresource: string;
  readonly message: string;
  recognizes(request: CertificateSigningRequest, parsed: CertificateRequest): boolean;
}

function isNodeClient({ spec }: CertificateSigningRequest, parsed: CertificateRequest): boolean {
  return (
    spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet' &&
    kubeletClientProblem(parsed, spec.usages ?? []) === undefined
  );
}

const recognizers: readonly Recognizer[] = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    recognizes: (request, parsed) =>
      request.spec.username === parsed.subject.commonName && isNodeClient(request, parsed),
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    recognizes: isNodeClient,
  },
];

function newController(context: ControllerContext): Controller {
  return requestLoop(context, 'certificate', async (request) => {
    if (hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return;
    const { name = '' } = request.metadata;
    const parsed = parseSigningRequest(request.spec.request);
    const tried: string[] = [];
    for (const recognizer of recognizers) {
      if (!recognizer.recognizes(request, parsed)) continue;
      tried.push(recognizer.subresource);
      if (await isAllowed(context, request, recognizer.subresource)) {
        const conditions = request.status?.conditions ?? [];
        const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message: recognizer.message };
        await context.clients.certificates.v1
          .certificateSigningRequests()
          .updateApproval(name, { ...request, status: { ...request.status, conditions: [...conditions, approved] } });
        return;
      }
    }
    // Throwing causes a retry: the permission may be granted later.
    if (tried.length > 0)
      throw new Error(
        `recognized csr ${JSON.stringify(name)} as [${tried.join(' ')}] but subject access review was not approved`,
      );
  });
}

async function isAllowed(
  { clients }: ControllerContext,
  { spec: { username, uid, groups, extra } }: CertificateSigningRequest,
  subresource: string,
): Promise<boolean> {
  const { status } = await clients.authorization.v1.subjectAccessReviews().create({
    metadata: {},
    spec: {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups && { groups }),
      ...(extra && { extra }),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
        version: '*',
      },
    },
  });
  return status?.allowed ?? false;
}
