import { applyPatch, asTable, mergePatch, protobuf } from '../headers.ts';
import { edited, type Suite } from '../scenario.ts';

const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const claim = { devices: { requests: [{ name: 'd', exactly: { deviceClassName: 'dc.example.com' } }] } };

/** An autoscaler with fields that only the newer version has. */
const withPods = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    maxReplicas: 5,
    scaleTargetRef: target,
    metrics: [
      {
        type: 'Pods',
        pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1500m' } },
      },
    ],
  },
};

/** The same object in several versions. */
export const suite: Suite = {
  scenarios: {
    'autoscalers of v1 and v2 are the same': [
      {
        send: 'POST autoscaling/v1:horizontalpodautoscalers',
        body: {
          metadata: { name: 'h' },
          spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 60, scaleTargetRef: target },
        },
      },
      { send: 'GET autoscaling/v2:horizontalpodautoscalers/h', as: 'h' },
      { send: 'PUT autoscaling/v2:horizontalpodautoscalers/h', body: edited('h', { 'spec.maxReplicas': 5 }) },
      { send: 'GET autoscaling/v1:horizontalpodautoscalers/h' },
      {
        send: 'PATCH autoscaling/v2:horizontalpodautoscalers/h?fieldManager=two',
        body: withPods,
        headers: applyPatch,
      },
      {
        send: 'PATCH autoscaling/v2:horizontalpodautoscalers/h?fieldManager=two&force=true',
        body: withPods,
        headers: applyPatch,
      },
      { send: 'GET autoscaling/v1:horizontalpodautoscalers/h' },
      { send: 'GET autoscaling/v1:horizontalpodautoscalers', headers: { accept: protobuf } },
      { send: 'GET autoscaling/v1:horizontalpodautoscalers', headers: asTable },
      { send: 'GET autoscaling/v1:horizontalpodautoscalers?limit=1' },
      {
        send: 'PATCH autoscaling/v1:horizontalpodautoscalers/h',
        body: { spec: { minReplicas: 2 } },
        headers: mergePatch,
      },
      { send: 'DELETE autoscaling/v1:horizontalpodautoscalers/h' },
    ],
    'events of both groups are the same': [
      {
        send: 'POST v1:events',
        body: {
          metadata: { name: 'e' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
          reason: 'r',
          message: 'm',
          type: 'Normal',
          source: { component: 'c', host: 'h' },
          firstTimestamp: '2020-01-01T00:00:00Z',
          lastTimestamp: '2020-01-01T00:00:01Z',
          count: 2,
        },
      },
      { send: 'GET events.k8s.io/v1:events/e' },
      { send: 'GET events.k8s.io/v1:events', headers: { accept: protobuf } },
      {
        send: 'POST events.k8s.io/v1:events',
        body: {
          metadata: { name: 'f' },
          eventTime: '2020-01-01T00:00:00.000001Z',
          reportingController: 'example.com/c',
          reportingInstance: 'i',
          action: 'a',
          reason: 'r',
          type: 'Warning',
          regarding: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
          note: 'n',
        },
      },
      { send: 'GET v1:events/f' },
      { send: 'GET v1:events?fieldSelector=type%3DWarning' },
      { send: 'GET events.k8s.io/v1:events?fieldSelector=reportingController%3Dexample.com/c' },
      { send: 'GET v1:events', headers: asTable },
      { send: 'GET events.k8s.io/v1:events/e', headers: asTable },
      { send: 'POST events.k8s.io/v1:events', body: { metadata: { name: 'g' }, eventTime: null } },
      { send: 'POST v1:events', body: { metadata: { name: 'g' }, involvedObject: { namespace: 'other' } } },
      { send: 'PATCH events.k8s.io/v1:events/f', body: { note: 'changed' }, headers: mergePatch },
      { send: 'PATCH v1:events/f', body: { message: 'changed' }, headers: mergePatch },
      { send: 'DELETE events.k8s.io/v1:events/f' },
      { send: 'DELETE events.k8s.io/v1:events' },
    ],
    'claims of four versions are the same': [
      { send: 'POST resource.k8s.io/v1:resourceclaims', body: { metadata: { name: 'c' }, spec: claim } },
      { send: 'GET resource.k8s.io/v1beta1:resourceclaims/c', as: 'c' },
      { send: 'GET resource.k8s.io/v1beta2:resourceclaims/c' },
      { send: 'GET resource.k8s.io/v1beta1:resourceclaims' },
      { send: 'PUT resource.k8s.io/v1beta1:resourceclaims/c', body: edited('c', { 'metadata.labels': { l: '1' } }) },
      { send: 'PUT resource.k8s.io/v1:resourceclaims/c', body: edited('c', { 'metadata.labels': { l: '2' } }) },
      { send: 'DELETE resource.k8s.io/v1beta2:resourceclaims/c' },
    ],
    'old versions warn': [
      { send: 'GET networking.k8s.io/v1beta1::servicecidrs/none' },
      { send: 'GET networking.k8s.io/v1beta1::ipaddresses/none' },
      { send: 'GET storage.k8s.io/v1beta1::volumeattributesclasses/none' },
      { send: 'GET coordination.k8s.io/v1alpha2:leasecandidates' },
      { send: 'GET admissionregistration.k8s.io/v1alpha1::mutatingadmissionpolicies/none' },
      { send: 'GET admissionregistration.k8s.io/v1beta1::mutatingadmissionpolicies/none' },
      { send: 'GET resource.k8s.io/v1alpha3::devicetaintrules/none' },
      { send: 'PUT v1:endpoints/none', body: '{' },
      { send: 'GET v1:endpoints?watch=true&resourceVersion=x' },
      { send: 'POST v1:endpoints/none', body: {} },
    ],
    'warnings are told once each': [
      {
        send: 'POST v1:pods',
        body: {
          metadata: {
            name: 'p',
            annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
          },
          spec: {
            containers: [
              {
                name: 'c',
                image: 'i',
                env: [{ name: 'E' }, { name: 'E' }],
                ports: [
                  { containerPort: 80, name: 'a' },
                  { containerPort: 80, name: 'b' },
                ],
              },
            ],
            nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
          },
        },
      },
      {
        send: 'POST v1:services',
        body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], externalIPs: ['010.0.0.1'] } },
      },
      {
        send: 'POST policy/v1:poddisruptionbudgets',
        body: { metadata: { name: 'b' }, spec: { selector: {}, minAvailable: 1 } },
      },
      {
        send: 'POST v1:configmaps?fieldValidation=Warn',
        body: { metadata: { name: 'c', ['x'.repeat(300)]: 1, 'ü"\\': 1 } },
      },
    ],
  },
};
