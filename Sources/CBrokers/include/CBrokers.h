// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CBROKERS_H
#define SV_CBROKERS_H

// Declarations for the client libraries libmosquitto (MQTT) and librdkafka (Kafka). The plugin loads these libraries on
// demand, so the plugin also works without them. This header declares only the functions that the plugin uses, with its
// own type names. All declared functions belong to the stable APIs of mosquitto.h and rdkafka.h.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a non-blocking eventfd(2) and returns its file descriptor. Returns -1 if the process has no free descriptor.
/// Swift cannot import eventfd.
int sv_make_event_file(void);

typedef struct mosquitto SVMosquittoClient;

/// A message of a topic to which the client has subscribed (struct mosquitto_message).
typedef struct {
  int id;
  const char *topic;
  const void *payload;
  int count;
  int qos;
  bool retain;
} SVMosquittoMessage;

/// A list of MQTT 5 properties.
typedef struct mqtt5__property SVMosquittoProperties;

/// Functions of libmosquitto 2 (mosquitto.h). Functions that return int return MOSQ_ERR_…; 0 means success.
typedef struct {
  int (*lib_init)(void);
  SVMosquittoClient *(*create)(const char *id, bool clean_session, void *object);
  void (*destroy)(SVMosquittoClient *client);
  int (*username_pw_set)(SVMosquittoClient *client, const char *username, const char *password);
  int (*tls_set)(SVMosquittoClient *client, const char *cafile, const char *capath, const char *certfile,
                 const char *keyfile, int (*pw_callback)(char *buffer, int size, int rwflag, void *userdata));
  int (*will_set)(SVMosquittoClient *client, const char *topic, int count, const void *payload, int qos, bool retain);
  int (*max_inflight_messages_set)(SVMosquittoClient *client, unsigned int count);
  int (*connect_async)(SVMosquittoClient *client, const char *host, int port, int keepalive);
  int (*reconnect_async)(SVMosquittoClient *client);
  int (*disconnect)(SVMosquittoClient *client);
  int (*publish)(SVMosquittoClient *client, int *mid, const char *topic, int count, const void *payload, int qos,
                 bool retain);
  int (*subscribe)(SVMosquittoClient *client, int *mid, const char *topic, int qos);
  int (*loop)(SVMosquittoClient *client, int timeout, int max_packets);
  int (*socket)(SVMosquittoClient *client);
  bool (*want_write)(SVMosquittoClient *client);
  void (*connect_callback_set)(SVMosquittoClient *client, void (*callback)(SVMosquittoClient *, void *, int));
  void (*publish_callback_set)(SVMosquittoClient *client, void (*callback)(SVMosquittoClient *, void *, int));
  void (*message_callback_set)(SVMosquittoClient *client,
                               void (*callback)(SVMosquittoClient *, void *, const SVMosquittoMessage *));
  const char *(*strerror)(int error);
  const char *(*connack_string)(int code);
  void (*log_callback_set)(SVMosquittoClient *client, void (*callback)(SVMosquittoClient *, void *, int, const char *));

  /// Returns OpenSSL's error for the broker's certificate (X509_V_ERR_…). Returns 0 if the certificate is valid or the
  /// result is unknown.
  long (*certificate_problem)(SVMosquittoClient *client);
  /// Returns OpenSSL's text for a certificate error (X509_V_ERR_…). Returns NULL if OpenSSL's function is not
  /// available.
  const char *(*certificate_words)(long problem);

  /// True if the library supports MQTT 5. Otherwise, all members after this member are NULL.
  bool has_version_5;
  int (*int_option)(SVMosquittoClient *client, int option, int value);
  int (*string_option)(SVMosquittoClient *client, int option, const char *value);
  int (*connect_bind_v5)(SVMosquittoClient *client, const char *host, int port, int keepalive, const char *bind_address,
                         const SVMosquittoProperties *properties);
  int (*disconnect_v5)(SVMosquittoClient *client, int reason, const SVMosquittoProperties *properties);
  void (*connect_v5_callback_set)(SVMosquittoClient *client,
                                  void (*callback)(SVMosquittoClient *, void *, int reason, int flags,
                                                   const SVMosquittoProperties *));
  void (*publish_v5_callback_set)(SVMosquittoClient *client,
                                  void (*callback)(SVMosquittoClient *, void *, int message, int reason,
                                                   const SVMosquittoProperties *));
  void (*disconnect_v5_callback_set)(SVMosquittoClient *client,
                                     void (*callback)(SVMosquittoClient *, void *, int reason,
                                                      const SVMosquittoProperties *));
  int (*property_add_int32)(SVMosquittoProperties **list, int name, uint32_t value);
  const SVMosquittoProperties *(*property_read_byte)(const SVMosquittoProperties *list, int name, uint8_t *value,
                                                     bool skips_first);
  const SVMosquittoProperties *(*property_read_int16)(const SVMosquittoProperties *list, int name, uint16_t *value,
                                                      bool skips_first);
  const SVMosquittoProperties *(*property_read_string)(const SVMosquittoProperties *list, int name, char **value,
                                                       bool skips_first);
  void (*property_free_all)(SVMosquittoProperties **list);
  const char *(*reason_string)(int reason);
} SVMosquitto;

/// Constants of mosquitto.h and mqtt_protocol.h.
enum {
  SV_MOSQUITTO_PROTOCOL_VERSION = 1,
  SV_MOSQUITTO_BIND_ADDRESS = 12,
  SV_MOSQUITTO_LOG_ERROR = 8,
  SV_MQTT_3_1_1 = 4,
  SV_MQTT_5 = 5,
  SV_MQTT_SESSION_EXPIRY = 17,
  SV_MQTT_REASON = 31,
  SV_MQTT_RECEIVE_MAXIMUM = 33,
  SV_MQTT_RETAIN_AVAILABLE = 37,
};

/// Returns the functions of libmosquitto.so.1; NULL if the library is not installed.
const SVMosquitto *sv_mosquitto(void);

typedef struct rd_kafka_s SVKafkaClient;
typedef struct rd_kafka_conf_s SVKafkaSettings;
typedef struct rd_kafka_topic_s SVKafkaTopic;
typedef struct rd_kafka_queue_s SVKafkaQueue;

/// A delivery report of a message: the message was delivered or has failed (rd_kafka_message_t).
typedef struct {
  int error;
  SVKafkaTopic *topic;
  int32_t partition;
  void *payload;
  size_t count;
  void *key;
  size_t key_count;
  int64_t offset;
  void *opaque;
} SVKafkaMessage;

/// Functions of librdkafka 1 and 2 (rdkafka.h). Error codes are rd_kafka_resp_err_t; 0 means success.
typedef struct {
  SVKafkaSettings *(*conf_new)(void);
  void (*conf_destroy)(SVKafkaSettings *settings);
  int (*conf_set)(SVKafkaSettings *settings, const char *name, const char *value, char *error, size_t size);
  void (*conf_set_opaque)(SVKafkaSettings *settings, void *opaque);
  void (*conf_set_dr_msg_cb)(SVKafkaSettings *settings,
                             void (*callback)(SVKafkaClient *, const SVKafkaMessage *, void *));
  void (*conf_set_error_cb)(SVKafkaSettings *settings, void (*callback)(SVKafkaClient *, int, const char *, void *));
  void (*conf_set_log_cb)(SVKafkaSettings *settings,
                          void (*callback)(const SVKafkaClient *, int, const char *, const char *));
  /// Sets the callback that threads of librdkafka call for each certificate. NULL if librdkafka is older than version
  /// 1.1.
  int (*conf_set_ssl_cert_verify_cb)(SVKafkaSettings *settings,
                                     int (*callback)(SVKafkaClient *, const char *broker, int32_t id, int *problem,
                                                     int depth, const char *bytes, size_t count, char *error,
                                                     size_t size, void *opaque));
  SVKafkaClient *(*create)(int type, SVKafkaSettings *settings, char *error, size_t size);
  void (*destroy_flags)(SVKafkaClient *client, int flags);
  SVKafkaTopic *(*topic_new)(SVKafkaClient *client, const char *name, void *settings);
  void (*topic_destroy)(SVKafkaTopic *topic);
  int (*produce)(SVKafkaTopic *topic, int32_t partition, int flags, void *payload, size_t count, const void *key,
                 size_t key_count, void *opaque);
  int (*last_error)(void);
  int (*poll)(SVKafkaClient *client, int timeout);
  int (*flush)(SVKafkaClient *client, int timeout);
  int (*purge)(SVKafkaClient *client, int flags);
  int (*outq_len)(SVKafkaClient *client);
  int (*fatal_error)(SVKafkaClient *client, char *error, size_t size);
  const char *(*err2str)(int error);
  SVKafkaQueue *(*queue_get_main)(SVKafkaClient *client);
  void (*queue_destroy)(SVKafkaQueue *queue);
  void (*queue_io_event_enable)(SVKafkaQueue *queue, int file, const void *payload, size_t size);
} SVKafka;

/// Returns the functions of librdkafka.so.1; NULL if the library is not installed.
const SVKafka *sv_kafka(void);

/// Constants of rdkafka.h.
enum {
  SV_KAFKA_PRODUCER = 0,
  SV_KAFKA_ANY_PARTITION = -1,
  SV_KAFKA_COPY = 2,
  SV_KAFKA_PURGE_ALL = 1 | 2,
  SV_KAFKA_ERROR_QUEUE_FULL = -184,
  SV_KAFKA_ERROR_ALL_BROKERS_DOWN = -187,
  SV_KAFKA_ERROR_FATAL = -150,
  SV_KAFKA_ERROR_TRANSPORT = -195,
  SV_KAFKA_ERROR_RESOLVE = -193,
  SV_KAFKA_ERROR_AUTHENTICATION = -169,
  SV_KAFKA_ERROR_TLS = -181,
};

#ifdef __cplusplus
}
#endif

#endif
