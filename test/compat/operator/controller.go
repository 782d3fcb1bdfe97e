package operator

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "compat.example.com/farewell"

// controller creates a Deployment for each Website, copies its number of ready pods to the status, and removes a
// finalizer from deleted Websites.
type controller struct {
	client.Client
}

func (c *controller) setup(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&Website{}).Owns(&appsv1.Deployment{}).Complete(c)
}

func (c *controller) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var site Website
	if err := c.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(&site, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(c.Update(ctx, &site))
	}
	if controllerutil.AddFinalizer(&site, finalizer) {
		return ctrl.Result{}, c.Update(ctx, &site)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: site.Name, Namespace: site.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.Client, deployment, func() error {
		labels := map[string]string{"website": site.Name}
		deployment.Spec.Replicas = site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		if len(deployment.Spec.Template.Spec.Containers) == 0 {
			deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web"}}
		}
		deployment.Spec.Template.Spec.Containers[0].Image = site.Spec.Image
		return controllerutil.SetControllerReference(&site, deployment, c.Scheme())
	})
	if err != nil || site.Status.ReadyReplicas == deployment.Status.ReadyReplicas {
		return ctrl.Result{}, err
	}
	before := site.DeepCopyObject().(*Website)
	site.Status.ReadyReplicas = deployment.Status.ReadyReplicas
	return ctrl.Result{}, c.Status().Patch(ctx, &site, client.MergeFrom(before))
}
