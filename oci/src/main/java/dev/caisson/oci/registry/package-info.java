/**
 * Images from registries and back.
 *
 * <p>From the outside in: {@link dev.caisson.oci.registry.Registries} is the door; a Puller or
 * Pusher does one call with a RegistryClient of its own, so that logins, tokens and connections of
 * two users never meet. The client knows Sources: a repository at an Endpoint, which is the
 * registry or one of its mirrors, with the login that belongs to that host alone. Below them
 * Transport speaks HTTP: redirects, silence, tries again; it knows nothing of registries.
 *
 * <p>A layer is Downloaded into a partial blob, which survives this program; Downloads runs several
 * at once and is where unpacking takes its layers from.
 */
package dev.caisson.oci.registry;
