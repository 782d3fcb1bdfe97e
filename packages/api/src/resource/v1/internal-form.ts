import { internalFormOf } from '../../core/v1/pod/internal-form.ts';

/** Upstream's internal types that its messages print, in the notation of the core group's `internal-types.ts`. */
const form = internalFormOf(`
ResourceClaimSpec Devices:DeviceClaim
DeviceClaim Requests:[]DeviceRequest Constraints:[]DeviceConstraint Config:[]DeviceClaimConfiguration
DeviceRequest Name:s Exactly:*ExactDeviceRequest FirstAvailable:[]DeviceSubRequest
ExactDeviceRequest DeviceClassName:s Selectors:[]DeviceSelector AllocationMode:s Count:i AdminAccess:*b
 Tolerations:[]DeviceToleration Capacity:*CapacityRequirements
DeviceSubRequest Name:s DeviceClassName:s Selectors:[]DeviceSelector AllocationMode:s Count:i
 Tolerations:[]DeviceToleration Capacity:*CapacityRequirements
DeviceSelector CEL=cel:*CELDeviceSelector
CELDeviceSelector Expression:s
DeviceToleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
CapacityRequirements Requests:{}q
DeviceConstraint Requests:[]s MatchAttribute:*s DistinctAttribute:*s
DeviceClaimConfiguration Requests:[]s Opaque:*OpaqueDeviceConfiguration
OpaqueDeviceConfiguration Driver:s Parameters:json
AllocationResult Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp:*s
DeviceAllocationResult Results:[]DeviceRequestAllocationResult Config:[]DeviceAllocationConfiguration
DeviceRequestAllocationResult Request:s Driver:s Pool:s Device:s AdminAccess:*b Tolerations:[]DeviceToleration
 BindingConditions:[]s BindingFailureConditions:[]s ShareID:*s ConsumedCapacity:{}q
DeviceAllocationConfiguration Source:s Requests:[]s Opaque:*OpaqueDeviceConfiguration
NodeSelector NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorTerm MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSelectorRequirement Key:s Operator:s Values:[]s
DeviceAttribute IntValue=int:*i BoolValue=bool:*b StringValue=string:*s VersionValue=version:*s IntValues=ints:[]i
 BoolValues=bools:[]b StringValues=strings:[]s VersionValues=versions:[]s
ResourcePoolStatusRequestStatus PoolCount:*i Pools:[]PoolStatus Conditions:json
PoolStatus Driver:s PoolName:s Generation:i ResourceSliceCount:*i TotalDevices:*i AllocatedDevices:*i
 AvailableDevices:*i UnavailableDevices:*i NodeName:*s ValidationError:*s
`);

/** A value as upstream's messages print it: Go's names, every field there. */
export const internalForm: (type: string, value: object) => object = form;
