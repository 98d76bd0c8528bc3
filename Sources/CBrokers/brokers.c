// SPDX-License-Identifier: LGPL-2.1-or-later
#include "include/CBrokers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/eventfd.h>

int sv_make_event_file(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/// The name of a function in a library, and the address of the variable that receives the function's address.
typedef struct {
  const char *name;
  void *place;
} Symbol;

/// Looks up all symbols in a library or its dependencies. Returns false if a symbol is missing.
static bool find(void *handle, const Symbol *symbols, size_t count) {
  if (!handle)
    return false;
  for (size_t i = 0; i < count; i++) {
    void *found = dlsym(handle, symbols[i].name);
    if (!found)
      return false;
    *(void **)symbols[i].place = found;
  }
  return true;
}

/// Loads a library, which stays loaded until the process ends. Returns NULL if the library is not installed.
static void *load(const char *library) { return dlopen(library, RTLD_NOW | RTLD_LOCAL); }

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

// MARK: - MQTT

static SVMosquitto mosquitto;
static bool has_mosquitto;

// Functions of the OpenSSL library that libmosquitto uses. libmosquitto itself does not report why OpenSSL rejected a
// certificate.
static void *(*get_connection)(SVMosquittoClient *client);
static long (*get_verify_result)(const void *connection);
static const char *(*describe_verify_result)(long result);

static long certificate_problem(SVMosquittoClient *client) {
  void *connection = get_connection ? get_connection(client) : NULL;
  return connection && get_verify_result ? get_verify_result(connection) : 0;
}

static const char *certificate_words(long problem) {
  return describe_verify_result ? describe_verify_result(problem) : NULL;
}

static void load_mosquitto(void) {
#define SYMBOL(member, name) {"mosquitto_" name, &mosquitto.member}
  const Symbol symbols[] = {
      SYMBOL(lib_init, "lib_init"),
      SYMBOL(create, "new"),
      SYMBOL(destroy, "destroy"),
      SYMBOL(username_pw_set, "username_pw_set"),
      SYMBOL(tls_set, "tls_set"),
      SYMBOL(will_set, "will_set"),
      SYMBOL(max_inflight_messages_set, "max_inflight_messages_set"),
      SYMBOL(connect_async, "connect_async"),
      SYMBOL(reconnect_async, "reconnect_async"),
      SYMBOL(disconnect, "disconnect"),
      SYMBOL(publish, "publish"),
      SYMBOL(subscribe, "subscribe"),
      SYMBOL(loop, "loop"),
      SYMBOL(socket, "socket"),
      SYMBOL(want_write, "want_write"),
      SYMBOL(connect_callback_set, "connect_callback_set"),
      SYMBOL(publish_callback_set, "publish_callback_set"),
      SYMBOL(message_callback_set, "message_callback_set"),
      SYMBOL(strerror, "strerror"),
      SYMBOL(connack_string, "connack_string"),
      SYMBOL(log_callback_set, "log_callback_set"),
  };
  // The following functions are available since libmosquitto 2.0.
  const Symbol newer[] = {
      SYMBOL(int_option, "int_option"),
      SYMBOL(string_option, "string_option"),
      SYMBOL(connect_bind_v5, "connect_bind_v5"),
      SYMBOL(disconnect_v5, "disconnect_v5"),
      SYMBOL(connect_v5_callback_set, "connect_v5_callback_set"),
      SYMBOL(publish_v5_callback_set, "publish_v5_callback_set"),
      SYMBOL(disconnect_v5_callback_set, "disconnect_v5_callback_set"),
      SYMBOL(property_add_int32, "property_add_int32"),
      SYMBOL(property_read_byte, "property_read_byte"),
      SYMBOL(property_read_int16, "property_read_int16"),
      SYMBOL(property_read_string, "property_read_string"),
      SYMBOL(property_free_all, "property_free_all"),
      SYMBOL(reason_string, "reason_string"),
  };
#undef SYMBOL
  const Symbol certificates[] = {
      {"mosquitto_ssl_get", &get_connection},
      {"SSL_get_verify_result", &get_verify_result},
      {"X509_verify_cert_error_string", &describe_verify_result},
  };
  void *library = load("libmosquitto.so.1");
  mosquitto.certificate_problem = certificate_problem;
  mosquitto.certificate_words = certificate_words;
  mosquitto.has_version_5 = find(library, newer, COUNT(newer));
  find(library, certificates, COUNT(certificates));
  has_mosquitto = find(library, symbols, COUNT(symbols)) && mosquitto.lib_init() == 0;
}

const SVMosquitto *sv_mosquitto(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_mosquitto);
  return has_mosquitto ? &mosquitto : NULL;
}

// MARK: - Kafka

static SVKafka kafka;
static bool has_kafka;

static void load_kafka(void) {
#define SYMBOL(member, name) {"rd_kafka_" name, &kafka.member}
  const Symbol symbols[] = {
      SYMBOL(conf_new, "conf_new"),
      SYMBOL(conf_destroy, "conf_destroy"),
      SYMBOL(conf_set, "conf_set"),
      SYMBOL(conf_set_opaque, "conf_set_opaque"),
      SYMBOL(conf_set_dr_msg_cb, "conf_set_dr_msg_cb"),
      SYMBOL(conf_set_error_cb, "conf_set_error_cb"),
      SYMBOL(conf_set_log_cb, "conf_set_log_cb"),
      SYMBOL(create, "new"),
      SYMBOL(destroy_flags, "destroy_flags"),
      SYMBOL(topic_new, "topic_new"),
      SYMBOL(topic_destroy, "topic_destroy"),
      SYMBOL(produce, "produce"),
      SYMBOL(last_error, "last_error"),
      SYMBOL(poll, "poll"),
      SYMBOL(flush, "flush"),
      SYMBOL(purge, "purge"),
      SYMBOL(outq_len, "outq_len"),
      SYMBOL(fatal_error, "fatal_error"),
      SYMBOL(err2str, "err2str"),
      SYMBOL(queue_get_main, "queue_get_main"),
      SYMBOL(queue_destroy, "queue_destroy"),
      SYMBOL(queue_io_event_enable, "queue_io_event_enable"),
  };
#undef SYMBOL
  void *library = load("librdkafka.so.1");
  has_kafka = find(library, symbols, COUNT(symbols));
  // This function is available since librdkafka 1.1.
  *(void **)&kafka.conf_set_ssl_cert_verify_cb = library ? dlsym(library, "rd_kafka_conf_set_ssl_cert_verify_cb") : NULL;
}

const SVKafka *sv_kafka(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_kafka);
  return has_kafka ? &kafka : NULL;
}
