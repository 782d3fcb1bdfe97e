import type { Ingress, IngressClass } from '@coxswain/api/networking/v1';
import type { AdmissionPlugin } from '../admission.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { defaultClass } from './default-class.ts';

const marks = ['ingressclass.kubernetes.io/is-default-class'];
/** The annotation for the class from before `ingressClassName`. */
const classAnnotation = 'kubernetes.io/ingress.class';

/** Sets the default class on ingresses without one. */
export const defaultIngressClass = ({ listers }: Pick<AdmissionContext, 'listers'>): AdmissionPlugin => ({
  name: 'DefaultIngressClass',
  operations: ['CREATE'],
  resources: ['ingresses.networking.k8s.io'],
  async admit({ object }) {
    const ingress = object as Ingress;
    const { annotations = {} } = ingress.metadata;
    if (ingress.spec?.ingressClassName !== undefined || Object.hasOwn(annotations, classAnnotation)) return;
    const chosen = await defaultClass(listers.lister<IngressClass>('networking.k8s.io', 'ingressclasses'), marks);
    const ingressClassName = chosen?.metadata.name;
    if (ingressClassName) ingress.spec = { ...ingress.spec, ingressClassName };
  },
});
