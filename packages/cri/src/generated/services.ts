// Generated from the definition of CRI v1 in k8s.io/cri-api v0.36.4 (generator/generate.ts). Do not edit.
import { stream, unary } from '@coxswain/grpc';
import { VersionRequest, VersionResponse, RunPodSandboxRequest, RunPodSandboxResponse, StopPodSandboxRequest, StopPodSandboxResponse, RemovePodSandboxRequest, RemovePodSandboxResponse, PodSandboxStatusRequest, PodSandboxStatus, PodSandboxStatusResponse, ListPodSandboxRequest, ListPodSandboxResponse, StreamPodSandboxesRequest, StreamPodSandboxesResponse, PodSandboxStatsRequest, PodSandboxStatsResponse, ListPodSandboxStatsRequest, ListPodSandboxStatsResponse, StreamPodSandboxStatsRequest, StreamPodSandboxStatsResponse, PodSandboxStats, CreateContainerRequest, CreateContainerResponse, StartContainerRequest, StartContainerResponse, StopContainerRequest, StopContainerResponse, RemoveContainerRequest, RemoveContainerResponse, ListContainersRequest, ListContainersResponse, StreamContainersRequest, StreamContainersResponse, ContainerStatusRequest, ContainerStatus, ContainerStatusResponse, UpdateContainerResourcesRequest, UpdateContainerResourcesResponse, ExecSyncRequest, ExecSyncResponse, ExecRequest, ExecResponse, AttachRequest, AttachResponse, PortForwardRequest, PortForwardResponse, ListImagesRequest, ListImagesResponse, StreamImagesRequest, StreamImagesResponse, ImageStatusRequest, ImageStatusResponse, PullImageRequest, PullImageResponse, RemoveImageRequest, RemoveImageResponse, RuntimeConfig, UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse, StatusRequest, StatusResponse, ImageFsInfoRequest, ImageFsInfoResponse, ContainerStatsRequest, ContainerStatsResponse, ListContainerStatsRequest, ListContainerStatsResponse, StreamContainerStatsRequest, StreamContainerStatsResponse, ContainerStats, ReopenContainerLogRequest, ReopenContainerLogResponse, CheckpointContainerRequest, CheckpointContainerResponse, GetEventsRequest, ContainerEventResponse, ListMetricDescriptorsRequest, ListMetricDescriptorsResponse, ListPodSandboxMetricsRequest, ListPodSandboxMetricsResponse, StreamPodSandboxMetricsRequest, StreamPodSandboxMetricsResponse, RuntimeConfigRequest, RuntimeConfigResponse, UpdatePodSandboxResourcesRequest, UpdatePodSandboxResourcesResponse } from './messages.ts';

export const runtimeService = {
  name: 'runtime.v1.RuntimeService',
  methods: {
    version: unary('Version', VersionRequest, VersionResponse),
    runPodSandbox: unary('RunPodSandbox', RunPodSandboxRequest, RunPodSandboxResponse),
    stopPodSandbox: unary('StopPodSandbox', StopPodSandboxRequest, StopPodSandboxResponse),
    removePodSandbox: unary('RemovePodSandbox', RemovePodSandboxRequest, RemovePodSandboxResponse),
    podSandboxStatus: unary('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse),
    listPodSandbox: unary('ListPodSandbox', ListPodSandboxRequest, ListPodSandboxResponse),
    streamPodSandboxes: stream('StreamPodSandboxes', StreamPodSandboxesRequest, StreamPodSandboxesResponse),
    createContainer: unary('CreateContainer', CreateContainerRequest, CreateContainerResponse),
    startContainer: unary('StartContainer', StartContainerRequest, StartContainerResponse),
    stopContainer: unary('StopContainer', StopContainerRequest, StopContainerResponse),
    removeContainer: unary('RemoveContainer', RemoveContainerRequest, RemoveContainerResponse),
    listContainers: unary('ListContainers', ListContainersRequest, ListContainersResponse),
    streamContainers: stream('StreamContainers', StreamContainersRequest, StreamContainersResponse),
    containerStatus: unary('ContainerStatus', ContainerStatusRequest, ContainerStatusResponse),
    updateContainerResources: unary('UpdateContainerResources', UpdateContainerResourcesRequest, UpdateContainerResourcesResponse),
    reopenContainerLog: unary('ReopenContainerLog', ReopenContainerLogRequest, ReopenContainerLogResponse),
    execSync: unary('ExecSync', ExecSyncRequest, ExecSyncResponse),
    exec: unary('Exec', ExecRequest, ExecResponse),
    attach: unary('Attach', AttachRequest, AttachResponse),
    portForward: unary('PortForward', PortForwardRequest, PortForwardResponse),
    containerStats: unary('ContainerStats', ContainerStatsRequest, ContainerStatsResponse),
    listContainerStats: unary('ListContainerStats', ListContainerStatsRequest, ListContainerStatsResponse),
    streamContainerStats: stream('StreamContainerStats', StreamContainerStatsRequest, StreamContainerStatsResponse),
    podSandboxStats: unary('PodSandboxStats', PodSandboxStatsRequest, PodSandboxStatsResponse),
    listPodSandboxStats: unary('ListPodSandboxStats', ListPodSandboxStatsRequest, ListPodSandboxStatsResponse),
    streamPodSandboxStats: stream('StreamPodSandboxStats', StreamPodSandboxStatsRequest, StreamPodSandboxStatsResponse),
    updateRuntimeConfig: unary('UpdateRuntimeConfig', UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse),
    status: unary('Status', StatusRequest, StatusResponse),
    checkpointContainer: unary('CheckpointContainer', CheckpointContainerRequest, CheckpointContainerResponse),
    getContainerEvents: stream('GetContainerEvents', GetEventsRequest, ContainerEventResponse),
    listMetricDescriptors: unary('ListMetricDescriptors', ListMetricDescriptorsRequest, ListMetricDescriptorsResponse),
    listPodSandboxMetrics: unary('ListPodSandboxMetrics', ListPodSandboxMetricsRequest, ListPodSandboxMetricsResponse),
    streamPodSandboxMetrics: stream('StreamPodSandboxMetrics', StreamPodSandboxMetricsRequest, StreamPodSandboxMetricsResponse),
    runtimeConfig: unary('RuntimeConfig', RuntimeConfigRequest, RuntimeConfigResponse),
    updatePodSandboxResources: unary('UpdatePodSandboxResources', UpdatePodSandboxResourcesRequest, UpdatePodSandboxResourcesResponse),
  },
};

export const imageService = {
  name: 'runtime.v1.ImageService',
  methods: {
    listImages: unary('ListImages', ListImagesRequest, ListImagesResponse),
    streamImages: stream('StreamImages', StreamImagesRequest, StreamImagesResponse),
    imageStatus: unary('ImageStatus', ImageStatusRequest, ImageStatusResponse),
    pullImage: unary('PullImage', PullImageRequest, PullImageResponse),
    removeImage: unary('RemoveImage', RemoveImageRequest, RemoveImageResponse),
    imageFsInfo: unary('ImageFsInfo', ImageFsInfoRequest, ImageFsInfoResponse),
  },
};
