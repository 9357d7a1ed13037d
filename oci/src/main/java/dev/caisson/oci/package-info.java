/**
 * Images: content by digest, names, unpacked layers and the roots made of them. Source of all
 * formats: the OCI image specification.
 */
package dev.caisson.oci;
