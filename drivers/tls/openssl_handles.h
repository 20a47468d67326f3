// Owners of OpenSSL's objects. Internal to this folder.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

namespace datum {

template <auto Free>
struct OpensslFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using BioHandle = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
using CertificateHandle = std::unique_ptr<X509, OpensslFree<X509_free>>;
using CrlHandle = std::unique_ptr<X509_CRL, OpensslFree<X509_CRL_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using ContextHandle = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;

}  // namespace datum
