package operator

import (
	"context"
	"fmt"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// webhook sets the default of a Website's replicas, and refuses images with the tag latest.
type webhook struct{}

func (w webhook) setup(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &Website{}).WithDefaulter(w).WithValidator(w).Complete()
}

func (webhook) Default(_ context.Context, site *Website) error {
	if site.Spec.Replicas == nil {
		two := int32(2)
		site.Spec.Replicas = &two
	}
	return nil
}

func (w webhook) ValidateCreate(_ context.Context, site *Website) (admission.Warnings, error) {
	if strings.HasSuffix(site.Spec.Image, ":latest") {
		return nil, fmt.Errorf("%s is not a fixed version", site.Spec.Image)
	}
	return admission.Warnings{"a website needs somebody who writes it"}, nil
}

func (w webhook) ValidateUpdate(ctx context.Context, _, site *Website) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, site)
}

func (webhook) ValidateDelete(context.Context, *Website) (admission.Warnings, error) {
	return nil, nil
}
